/// A state and its place in the order of commits.
public struct Snapshot<State: Sendable>: Sendable {
  /// How many mutations were committed before this state was; 0 is the initial state.
  public let revision: Int

  /// The state as it was then.
  public let state: State

  /// How many states the observer skipped since the snapshot before; 0 for its first.
  public let missed: Int

  /// Makes a snapshot.
  @inlinable
  public init(revision: Int, state: State, missed: Int = 0) {
    self.revision = revision
    self.state = state
    self.missed = missed
  }
}

extension Snapshot: Equatable where State: Equatable {}
