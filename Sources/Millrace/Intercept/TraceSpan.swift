/// An action as a span of a trace: what a tracing library is to be told of it.
///
/// The ids are those of W3C Trace Context, derived from the run's and the trace's: whoever asks gets the same ones, so that no
/// table is needed. A call that sends ``RunContext/traceparent`` on is a child of the span in its run.
public struct TraceSpan: Sendable, Hashable {
  /// The trace, 32 hexadecimal digits: the one that came with the action, or one that begins with ``root``.
  public let traceID: String

  /// The span, 16 hexadecimal digits.
  public let spanID: String

  /// The span that it is a part of: that of the run that sent the action, or the caller's; nil where the trace begins.
  public let parentSpanID: String?

  /// The value of the `tracestate` header that came with the trace.
  public let tracestate: String?

  /// Whether the span is to be recorded, as its trace says; true if it has none.
  public let isSampled: Bool

  /// The name of the action's case, without its payload.
  public let name: String

  /// The run.
  public let run: RunID

  /// The run whose handler sent the action, or nil.
  public let parent: RunID?

  /// The first run of the chain.
  public let root: RunID

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
    run = context.run
    parent = context.parent
    root = context.root
  }
}
