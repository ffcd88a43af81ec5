public import Millrace

/// A call to a gateway, once it has its reply.
public struct RecordedCall: Sendable, Hashable {
  /// The time of the reply, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The duration of the call, in nanoseconds.
  public let took: Int64

  /// The run that called; nil for a call from outside of any run.
  public let run: RunID?

  /// The name of the call, as it was given to `GatewayTape.call`.
  public let name: String

  /// The request as JSON with sorted keys, redacted if there was a redaction.
  public let request: String

  /// The result of the call.
  public let reply: RecordedReply

  /// A call with its reply.
  public init(at: Int64, took: Int64, run: RunID?, name: String, request: String, reply: RecordedReply) {
    self.at = at
    self.took = took
    self.run = run
    self.name = name
    self.request = request
    self.reply = reply
  }
}
