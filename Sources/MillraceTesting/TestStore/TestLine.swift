/// A line of a test.
struct TestLine: Sendable, Equatable, CustomStringConvertible {
  let file: StaticString
  let line: UInt

  /// The name of the file, and the line.
  var description: String {
    "\("\(file)".split(separator: "/").last ?? ""):\(line)"
  }

  static func == (left: Self, right: Self) -> Bool {
    left.description == right.description
  }
}
