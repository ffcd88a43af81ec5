/// An error that a gateway has thrown, as a text: what a resimulated call throws when it does not name the error's type.
///
/// The text is the description of the error, or what the ``Redaction`` has made of it.
public struct RecordedFailure: Error, Sendable, Hashable, Codable, CustomStringConvertible {
  /// The description of the error.
  public let description: String

  /// The error with this description.
  public init(_ description: String) {
    self.description = description
  }
}
