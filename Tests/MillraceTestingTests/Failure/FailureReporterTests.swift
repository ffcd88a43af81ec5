import Foundation
import Testing
import XCTest

@testable import MillraceTesting

@Suite("FailureReporter")
struct FailureReporterTests {
  private static let line: UInt = 42

  /// Whether an issue is the failure that these tests report, with the caller's place.
  private static func isTheFailure(_ issue: Issue) -> Bool {
    issue.comments.map(\.rawValue) == ["It is wrong; mend it."]
      && issue.sourceLocation?.line == Int(line) && issue.sourceLocation?.fileName == "FailureReporterTests.swift"
  }

  fileprivate static func fail(_ reporter: FailureReporter) {
    reporter.fail("It is wrong; mend it.", file: #filePath, line: line)
  }

  @Test("A failure in the test's own task is an issue at the caller's line")
  func inTest() {
    withKnownIssue {
      Self.fail(FailureReporter())
    } matching: {
      Self.isTheFailure($0)
    }
  }

  @Test("A failure in a task without a test belongs to the test that was current at the beginning")
  func inDetachedTask() async {
    await withKnownIssue {
      let reporter = FailureReporter()
      await Task.detached {
        #expect(Test.current == nil)
        Self.fail(reporter)
      }.value
      await reporter.settle()
    } matching: {
      Self.isTheFailure($0)
    }
  }

  @Test("A collector has the failures, and the test has none")
  func collector() async {
    let failures = Recorder<Failure>()
    let reporter = FailureReporter.$collector.withValue(
      FailureCollector { failures.record($0) }, operation: { FailureReporter() })
    await Task.detached { Self.fail(reporter) }.value
    #expect(failures.recorded.map(\.message) == ["It is wrong; mend it."])
    #expect(failures.recorded.map(\.line) == [Self.line])
  }

  #if canImport(Glibc)
    @Test("In a test case of XCTest a failure is the case's, with file and line, in its tasks too")
    func xctest() async throws {
      let process = try XCTestProcess(running: "FailingCase", environment: [FailingCase.variable: "1"])
      #expect(!process.hasPassed)
      for test in ["testInCase", "testInTask"] {
        let failure = "FailureReporterTests.swift:42: error: FailingCase.\(test) : failed - It is wrong; mend it.\n"
        #expect(process.output.contains(failure), "\(process.output)")
      }
    }
  #endif
}

/// A case of XCTest that fails where it is told to, in a process of its own.
final class FailingCase: XCTestCase {
  static let variable = "MILLRACE_FAILING_CASE"

  private var isAskedToFail: Bool { ProcessInfo.processInfo.environment[Self.variable] != nil }

  func testInCase() {
    guard isAskedToFail else { return }
    FailureReporterTests.fail(FailureReporter())
  }

  func testInTask() async {
    guard isAskedToFail else { return }
    let reporter = FailureReporter()
    await Task.detached { FailureReporterTests.fail(reporter) }.value
  }
}
