/// The result of a call to a gateway.
public enum RecordedReply: Sendable, Hashable {
  /// A reply, as JSON with sorted keys.
  case reply(String)

  /// An error of the type that the call names, as JSON with sorted keys.
  case failure(String)

  /// An error of another type, as a text; `Swift.CancellationError` where the gateway threw that without a cancellation.
  case error(String)

  /// The task of the call was cancelled, and the call threw `CancellationError`.
  case cancelled
}

extension RecordedReply {
  /// A `CancellationError` of the gateway's own.
  static let ownCancellation = RecordedReply.error("Swift.CancellationError")
}
