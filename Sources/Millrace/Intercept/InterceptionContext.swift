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
  /// An interceptor may keep the context: it holds neither the store nor its interceptors. After the release of the store,
  /// this does nothing.
  public func send(_ action: Action) {
    pass(action)
  }
}
