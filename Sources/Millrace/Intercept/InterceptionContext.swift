/// Where an action that is intercepted comes from, and the means to send others.
public struct InterceptionContext<Action: Sendable>: Sendable {
  /// The run whose handler sent it, or nil.
  public let parent: RunID?

  /// Where the chain of these began, or nil if it begins with the action.
  public let root: RunID?

  /// The trace it belongs to.
  public let trace: TraceContext?

  @usableFromInline let pass: @Sendable (Action) -> Void

  @inlinable
  init(
    parent: RunID?, root: RunID?, trace: TraceContext?, send: @escaping @Sendable (Action) -> Void
  ) {
    self.parent = parent
    self.root = root
    self.trace = trace
    pass = send
  }

  /// Sends an action to the store, now or later; it passes the whole chain, behind the one that is being intercepted.
  ///
  /// The context does not keep the store from being released; what is sent after that is rejected.
  public func send(_ action: Action) {
    pass(action)
  }
}
