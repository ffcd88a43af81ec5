/// The one iterator of a junction, or its copies: with the last of them the sequence ends.
///
/// The tasks of a junction hold the junction, and nothing that they hold holds this.
final class Tenure<State: JunctionState>: Sendable {
  let junction: Junction<State>

  init(_ junction: Junction<State>) {
    self.junction = junction
  }

  deinit {
    junction.cancel()
  }
}
