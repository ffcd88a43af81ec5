import MillraceJournal
import Testing

/// A rule of the contract of `Journal`, which is checked with each engine.
struct JournalConformance: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let check: @Sendable (any JournalFixture) async throws -> Void

  init(_ name: String, _ check: @escaping @Sendable (any JournalFixture) async throws -> Void) {
    testDescription = name
    self.check = check
  }

  static let all = appending + taking + reading + keeping + reopening + dividing + positioning
}

/// Expects a call to fail, and returns the error.
func failure(
  sourceLocation: SourceLocation = #_sourceLocation, _ call: () async throws -> Void
) async throws -> JournalError {
  let error = await #expect(throws: JournalError.self, sourceLocation: sourceLocation) { try await call() }
  return try #require(error, sourceLocation: sourceLocation)
}
