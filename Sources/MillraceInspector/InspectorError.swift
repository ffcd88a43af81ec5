/// The reason for which an inspector cannot be started.
public struct InspectorError: Error, Sendable, CustomStringConvertible {
  /// The reason, and what to do.
  public let description: String
}
