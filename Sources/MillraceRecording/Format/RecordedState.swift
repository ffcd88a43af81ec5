/// The state at a revision, and its hash.
public struct RecordedState<State: Sendable>: Sendable {
  /// The time of the commit that led to the state, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The number of mutations that led to the state.
  public let revision: Int

  /// The hash of the state as it stands here; nil as long as the state was not written, or if its line has none that it is
  /// checked by.
  public let hash: StateHash?

  /// The state, redacted if there was a redaction.
  public let state: State

  /// A state at a revision; without a hash it is computed when it is needed.
  public init(at: Int64, revision: Int, hash: StateHash? = nil, state: State) {
    self.at = at
    self.revision = revision
    self.hash = hash
    self.state = state
  }
}
