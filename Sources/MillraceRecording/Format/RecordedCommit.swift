public import Millrace

/// A mutation that was applied to the state.
public struct RecordedCommit<Mutation: Sendable>: Sendable {
  /// The time of the commit, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The place in the order of commits; the first commit of a store has revision 1.
  public let revision: Int

  /// The run that brought it about.
  public let run: RunID

  /// The mutation, redacted if there was a redaction.
  public let mutation: Mutation

  /// A commit.
  public init(at: Int64, revision: Int, run: RunID, mutation: Mutation) {
    self.at = at
    self.revision = revision
    self.run = run
    self.mutation = mutation
  }

  func with(_ mutation: Mutation) -> Self {
    Self(at: at, revision: revision, run: run, mutation: mutation)
  }
}
