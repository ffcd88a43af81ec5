public import Millrace

/// An action that was given to the store.
public struct RecordedAction<Action: Sendable>: Sendable {
  /// The time of the acceptance, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The run that handles it, with the action's id.
  public let run: RunID

  /// The run whose handler sent it, or nil.
  public let parent: RunID?

  /// The first run of the chain: the run itself when it has no parent.
  public let root: RunID

  /// The trace it belongs to.
  public let trace: TraceContext?

  /// False if it was rejected before it was accepted; then it has changed nothing.
  public let isAccepted: Bool

  /// The action, redacted if there was a redaction.
  public let action: Action

  /// An action with where it came from.
  public init(
    at: Int64, run: RunID, parent: RunID?, root: RunID, trace: TraceContext?, isAccepted: Bool, action: Action
  ) {
    self.at = at
    self.run = run
    self.parent = parent
    self.root = root
    self.trace = trace
    self.isAccepted = isAccepted
    self.action = action
  }

  init(at: Int64, _ cause: Cause<Action>, isAccepted: Bool) {
    let context = cause.context
    self.init(
      at: at, run: context.run, parent: context.parent, root: context.root, trace: context.trace,
      isAccepted: isAccepted, action: cause.action)
  }

  func with(_ action: Action, _ trace: TraceContext?) -> Self {
    Self(at: at, run: run, parent: parent, root: root, trace: trace, isAccepted: isAccepted, action: action)
  }
}
