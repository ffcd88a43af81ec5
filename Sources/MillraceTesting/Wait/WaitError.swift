/// A wait of a test was over its time limit.
public struct WaitError: Error, Sendable, CustomStringConvertible {
  /// The time that the test waited, in real time.
  public let waited: Duration

  /// A sentence that says where the test waited and for what, the state there was instead, and the fix.
  public let description: String

  /// - Parameters:
  ///   - waited: the time limit of the wait.
  ///   - place: the line of the wait.
  ///   - wanted: the event that the test waited for, behind "for".
  ///   - actual: the state that there is instead, as a sentence without its end.
  ///   - fix: a sentence without its end.
  init(_ waited: Duration, at place: TestLine, for wanted: String, but actual: String, fix: String) {
    self.waited = waited
    description = """
      The test waited \(waited) at \(place) for \(wanted), but \(actual). \(fix), or give the wait a longer timeout.
      """
  }

  /// A number and its noun.
  static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
