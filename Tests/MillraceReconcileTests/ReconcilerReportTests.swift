import Millrace
import Testing

@testable import MillraceReconcile

@Suite("Reconciler.Report")
struct ReconcilerReportTests {
  typealias Report = Reconciler<ReconciledSet<Int>>.Report

  @Test("Each report is a sentence")
  func sentences() {
    #expect(Report.performed(.add(1), attempt: 2).description == "Attempt 2 at add(1) was acknowledged.")
    #expect(Report.failed(.add(1), attempt: 2, error: Mishap()).description == "Attempt 2 at add(1) failed: a mishap")
    #expect(
      Report.gaveUp(.add(1), attempts: 2, error: Mishap()).description
        == "add(1) was given up after 2 attempts; desire something else, or make another run: a mishap")
    #expect(Report.cancelled(.add(1)).description == "add(1) was cancelled.")
  }

  @Test("By default an operation that is given up is one line on standard error, and all else is none")
  func standardError() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let reconciler = Reconciler<ReconciledSet<Int>>(initial: [1], attempts: 2, backoff: .none) { operation in
        if operation == .add(2) { throw Mishap() }
      }
      let (desires, continuation) = AsyncStream<ReconciledSet<Int>>.makeStream()
      continuation.yield([2])
      continuation.finish()
      try await reconciler.run(following: desires)
    }
    let errors = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(
      errors.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("Millrace:") } == [
        "Millrace: An operation of Reconciler<ReconciledSet<Int>> was given up after 2 attempts; desire something else, make "
          + "another run, or handle it in `report`: a mishap"
      ])
  }
}
