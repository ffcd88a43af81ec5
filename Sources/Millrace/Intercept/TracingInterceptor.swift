/// Tells a tracing library of a store's actions as spans, from their acceptance to their end.
///
/// Each action that is accepted begins and ends once. One that is rejected before has no span.
///
/// **Order and isolation.** The closures are called one at a time, with the store's lock: they must be quick, and must not
/// block. They may send to the store.
///
/// **Lifetime.** It remembers the actions that are open. Of those that are open when it is taken out of the chain it is not told
/// the end; to trace again, give the store another one.
public final class TracingInterceptor<Action: Sendable, Mutation: Sendable, State: Sendable>: Interceptor {
  private let times: AcceptanceTimes
  private let tellBegan: @Sendable (TraceSpan) -> Void
  private let tellCommitted: @Sendable (TraceSpan, _ mutation: String, _ revision: Int) -> Void
  private let tellEnded: @Sendable (TraceSpan, Outcome, Duration) -> Void

  /// Makes an interceptor, for one store or several.
  ///
  /// - Parameters:
  ///   - clock: what the times are measured by.
  ///   - began: told when an action is accepted.
  ///   - committed: told of each commit: the span that it is an event of, the name of the mutation's case, and the revision.
  ///   - ended: told when an action that began has ended: its outcome, and the time since it was accepted.
  public init(
    clock: any Clock<Duration> = ContinuousClock(),
    began: @escaping @Sendable (TraceSpan) -> Void = { _ in },
    committed: @escaping @Sendable (TraceSpan, _ mutation: String, _ revision: Int) -> Void = { _, _, _ in },
    ended: @escaping @Sendable (TraceSpan, Outcome, Duration) -> Void = { _, _, _ in }
  ) {
    times = AcceptanceTimes(clock)
    tellBegan = began
    tellCommitted = committed
    tellEnded = ended
  }

  /// How many actions it remembers.
  var openCount: Int { times.count }

  /// Begins the span of an action.
  public func accepted(_ cause: Cause<Action>) {
    times.begin(cause.context.run)
    tellBegan(TraceSpan(cause))
  }

  /// Tells of a commit.
  public func committed(_ mutation: Mutation, revision: Int, cause: Cause<Action>, state: borrowing State) {
    tellCommitted(TraceSpan(cause), CaseName.of(mutation), revision)
  }

  /// Ends the span of an action that was accepted.
  public func ended(_ cause: Cause<Action>, outcome: Outcome) {
    guard let duration = times.end(cause.context.run) else { return }
    tellEnded(TraceSpan(cause), outcome, duration)
  }
}
