/// The trace that an action belongs to, in the form of W3C Trace Context; it travels with the action.
public struct TraceContext: Sendable, Hashable {
  /// The value of the `traceparent` header.
  public let traceparent: String

  /// The value of the `tracestate` header, if there is one.
  public let tracestate: String?

  /// The context with these header values, which are passed on as they are.
  public init(traceparent: String, tracestate: String? = nil) {
    self.traceparent = traceparent
    self.tracestate = tracestate
  }

  /// A context that begins a new trace, for an action that comes from no traced caller.
  ///
  /// The parent id is that of the caller's span, which nobody records: the span of the action is the first one.
  ///
  /// - Parameters:
  ///   - random: what the ids are drawn from: two words for the trace and one for the parent.
  ///   - isSampled: whether those who take part are to record their spans.
  public static func new(using random: inout some RandomNumberGenerator, isSampled: Bool = true) -> TraceContext {
    let traceID = UInt128(random.next()) << 64 | UInt128(random.next())
    let parent = TraceParent(
      traceID: traceID, parentID: random.next(), flags: isSampled ? TraceParent.sampled : 0)
    return TraceContext(traceparent: parent.description)
  }
}
