/// What came of a call to a gateway.
public enum RecordedReply: Sendable, Hashable {
  /// A reply, as JSON with sorted keys.
  case reply(String)

  /// An error of the type that the call names, as JSON with sorted keys.
  case failure(String)

  /// An error of another type, as a text.
  case error(String)

  /// The call was cancelled.
  case cancelled
}
