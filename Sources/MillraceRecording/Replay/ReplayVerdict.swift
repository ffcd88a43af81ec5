/// The verdict of a replay or a resimulation.
public enum ReplayVerdict: Sendable, Hashable {
  /// The recorded values have come again; there was at least one to compare with.
  case same

  /// Something was otherwise; see ``ReplayReport/divergence`` and ``ResimulationReport/differences``.
  case different

  /// Nothing: no state was recorded behind a commit that was replayed, or no action was resimulated.
  case nothingCompared
}
