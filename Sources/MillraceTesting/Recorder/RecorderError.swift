/// A recorder was asked for more elements than will ever come.
public struct RecorderError: Error, CustomStringConvertible {
  /// The number of elements that were asked for.
  public let wanted: Int
  /// The number of recorded elements that were not read yet.
  public let unread: Int
  /// The error the last sequence ended with; nil when it finished.
  public let underlyingError: (any Error)?

  /// A sentence that says what was asked for, what there is, and how the recorded sequences ended.
  public var description: String {
    let end = underlyingError.map { "the last of them with the error \($0)" } ?? "the last of them without an error"
    return """
      The test waits for \(wanted) more of a recorder, but every sequence it records has ended, \(end), and \(unread) of \
      its elements are unread; wait for fewer elements, or find out why the sequence ended so early.
      """
  }
}
