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
}
