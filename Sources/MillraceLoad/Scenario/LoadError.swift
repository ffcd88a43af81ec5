/// A load run that cannot begin; the description says why, and what to change.
public struct LoadError: Error, Equatable, CustomStringConvertible {
  /// The sentence.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
