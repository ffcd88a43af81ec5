/// What a replay or a resimulation has proven.
public enum ReplayVerdict: Sendable, Hashable {
  /// What was recorded has come again; there was something to compare with.
  case same

  /// Something was otherwise; see ``ReplayReport/divergence`` and ``ResimulationReport/differences``.
  case different

  /// Nothing: no state was recorded behind a commit that was replayed, or no action was resimulated.
  case nothingCompared
}
