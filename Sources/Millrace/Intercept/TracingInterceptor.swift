/// Reports a store's actions to a tracing library as spans, from their acceptance to their end.
///
/// Each action that is accepted begins and ends once. One that is rejected before has no span.
///
/// **Order and isolation.** The closures are called one at a time, with the store's lock: they must be quick, and must not
/// block. They may send to the store.
///
/// **Lifetime.** It remembers the actions that are open. When it is removed from the chain, it does not get the ends of actions that are open
/// the end; to trace again, give the store another one.
public final class TracingInterceptor<I: Interactor>: Interceptor {
  private let times: AcceptanceTimes
  private let tellBegan: @Sendable (TraceSpan) -> Void
  private let tellCommitted: @Sendable (TraceSpan, _ mutation: String, _ revision: Int) -> Void
  private let tellEnded: @Sendable (TraceSpan, Outcome, Duration) -> Void

  /// Creates an interceptor, for one store or several.
  ///
  /// - Parameters:
  ///   - clock: the clock that measures the times.
  ///   - began: called when an action is accepted.
  ///   - committed: called for each commit, with the span that it is an event of, the name of the mutation's case, and the revision.
  ///   - ended: called when an action that began has ended, with its outcome, and the time since it was accepted.
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

  /// The number of actions it remembers.
  var openCount: Int { times.count }

  /// Begins the span of an action.
  public func accepted(_ cause: Cause<I.Action>) {
    times.begin(cause.context.run)
    tellBegan(TraceSpan(cause))
  }

  /// Reports a commit.
  public func committed(_ mutation: I.Mutation, revision: Int, cause: Cause<I.Action>, state: borrowing I.State) {
    tellCommitted(TraceSpan(cause), CaseName.of(mutation), revision)
  }

  /// Ends the span of an action that was accepted.
  public func ended(_ cause: Cause<I.Action>, outcome: Outcome) {
    guard let duration = times.end(cause.context.run) else { return }
    tellEnded(TraceSpan(cause), outcome, duration)
  }
}

/// An action as a span of a trace, for a tracing library.
///
/// The ids are those of W3C Trace Context, derived from the run's and the trace's: each caller gets the same ones, so that no
/// table is needed. A call that sends ``RunContext/traceparent`` on is a child of the span in its run.
public struct TraceSpan: Sendable, Hashable {
  /// The trace, 32 hexadecimal digits: the one that came with the action, or one that begins with the first run of the chain.
  public let traceID: String

  /// The span, 16 hexadecimal digits.
  public let spanID: String

  /// The span that it is a part of: the span of the run that sent the action, or of the caller's; nil where the trace begins.
  public let parentSpanID: String?

  /// The value of the `tracestate` header that came with the trace.
  public let tracestate: String?

  /// Whether the span is to be recorded, as its trace says; true if it has none.
  public let isSampled: Bool

  /// The name of the action's case, without its payload.
  public let name: String

  /// The run, the one whose handler sent the action, and the first of the chain.
  public let context: RunContext

  init<Action: Sendable>(_ cause: Cause<Action>) {
    let context = cause.context
    let caller = context.trace.flatMap { TraceParent($0.traceparent) }
    let traceID = caller?.traceID ?? SpanID.trace(from: context.root)
    self.traceID = hexadecimal(traceID)
    spanID = hexadecimal(context.spanID(in: traceID))
    parentSpanID = context.parentSpanID(in: traceID, caller: caller).map { hexadecimal($0) }
    tracestate = caller == nil ? nil : context.trace?.tracestate
    isSampled = caller?.isSampled ?? true
    name = CaseName.of(cause.action)
    self.context = context
  }
}

/// The times at which open actions were accepted.
final class AcceptanceTimes: Sendable {
  private let time: TimeSource
  private let instants = Lock<[RunID: Instant]>([:])

  init(_ clock: any Clock<Duration>) {
    time = TimeSource(clock)
  }

  /// The number of open actions.
  var count: Int { instants.withLock { $0.count } }

  /// Notes that an action was accepted now.
  func begin(_ run: RunID) {
    let now = time.now()
    instants.withLock { $0[run] = now }
  }

  /// The time since an action was accepted, which is forgotten; nil if it was not.
  func end(_ run: RunID) -> Duration? {
    guard let instant = instants.withLock({ $0.removeValue(forKey: run) }) else { return nil }
    return .nanoseconds(time.now() - instant)
  }
}
