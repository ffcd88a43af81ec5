import Testing

@testable import Millrace

@Suite("Standard error")
struct StandardErrorTests {
  @Test("The default report of an incident is one line on standard error, and nothing on standard output")
  func anIncidentIsOneLine() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      StoreConfiguration().report(Incident(.lateEmit, of: Int.self, "It was late;\nemit in time.\r\nThat is all."))
    }
    let errors = String(decoding: result.standardErrorContent, as: UTF8.self)
    let lines = errors.split(whereSeparator: \.isNewline).filter { line in
      ["Millrace:", "late", "in time", "all."].contains { line.contains($0) }
    }
    #expect(lines == ["Millrace: It was late; emit in time. That is all."])
    #expect(errors.contains("That is all.\n"))
    #expect(!String(decoding: result.standardOutputContent, as: UTF8.self).contains("Millrace:"))
  }

  @Test("Two incidents are two lines")
  func twoIncidentsAreTwoLines() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let report = StoreConfiguration().report
      report(Incident(.invalidPlan, of: Int.self, PlanProblem.attempts.description))
      report(Incident(.unhandledFailure, of: Int.self, error: Mishap(), "It failed: a mishap"))
    }
    let errors = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(
      errors.contains(
        "Millrace: A plan's `retry` makes no attempt; give it 1 attempt or more.\n"
          + "Millrace: It failed: a mishap\n"))
  }
}
