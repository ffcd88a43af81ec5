#if canImport(Testing)
  import Testing

  typealias TestLocation = Testing.SourceLocation
#else
  /// The place of a failure in a test of Swift Testing; there is none where that library is not linked, as in static programs.
  struct TestLocation: Equatable, Sendable {}
#endif

/// A failure of a test, and the line of the test that it belongs to.
struct Failure: Sendable {
  /// A sentence that says what is wrong and how to mend it.
  let message: String
  let file: StaticString
  let line: UInt
  /// The same for Swift Testing, if that has told it.
  var location: TestLocation?
}
