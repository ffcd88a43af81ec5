import Foundation
import MillraceTesting
import Testing

@testable import Millrace
@testable import MillraceJournal

@Suite("The failures of durable steps", .timeLimit(.minutes(1)))
struct DurableStepFailuresTests {
  struct Declined: Error, Codable, Equatable {
    let reason: String
  }

  private struct Other: Error, Codable, Equatable { let reason: String }

  private let lives = Lives()
  private let calls = Recorder<String>()

  @Test(
    "T4: the error of a step is stored, and the handler takes the same branch again though the gateway would answer")
  func failure() async throws {
    let isUp = Recorder<Bool>()
    let handling: Stepped.Handling = { [calls] run, _ in
      do {
        try await run.step("charge") { _ in
          calls.record("charge")
          if isUp.recorded.isEmpty { throw Declined(reason: String(repeating: "x", count: 5_000)) }
        }
      } catch let error as StepFailure {
        #expect(error.error(as: Declined.self)?.reason.count == 5_000)
        #expect(error.message.count == 4_096 && error.typeName.hasSuffix("DurableStepFailuresTests.Declined"))
        #expect(error.error(as: Other.self) == nil)
        try await run.step("refund", commit: { ["refunded"] }) { _ in calls.record("refund") }
      }
    }
    try await lives.crash(after: handling)
    isUp.record(true)
    let store = try await lives.open(handling)
    #expect(await store.end() == ["refunded"])
    #expect(calls.recorded == ["charge", "refund"])
  }

  // A charge that was made and answered too late was never refunded: it threw another type than one that failed.
  @Test("T4: a call that took too long is a stored failure, so that the same branch is taken as after another error")
  func timeout() async throws {
    let seen = Recorder<String>()
    let handling: Stepped.Handling = { [calls] run, _ in
      do {
        try await run.step("charge", retry: StepRetry(timeout: .seconds(10))) { _ in
          calls.record("charge")
          try await run.clock.sleep(for: .seconds(60))
        }
      } catch let failure as StepFailure {
        seen.record("\(failure.isTimeout) \(failure.typeName) \(failure)")
        try await run.step("refund", commit: { ["refunded"] }) { _ in calls.record("refund") }
      }
    }
    let (gate, clock) = (Gate(), lives.clock)
    let store = try await lives.open { run, number in
      try await handling(run, number)
      try await gate.enter()
    }
    store.send(.handle(1))
    try await clock.waitForSleepers(2)
    clock.advance(by: .seconds(10))
    try await gate.waitForArrivals(1)
    #expect(await (try lives.open(handling)).end() == ["refunded"])
    #expect(calls.recorded == ["charge", "refund"])
    let text = #"true Millrace.StepFailure The step "charge" took longer than its timeout of 10.0 seconds"#
    #expect(seen.recorded.count == 2 && seen.recorded.allSatisfy { $0.hasPrefix(text) })
    let stored = try await lives.journal.all("k").filter { $0.entry.kind == .step }.map(\.text)
    #expect(stored.first?.contains(#""code":"timedOut""#) == true, "an earlier version reads it as a timeout")
  }

  @Test("T4: a timeout that an earlier version has stored as an error of its own is read as a failure")
  func earlierTimeout() async throws {
    let failure = #"{"code":"timedOut","text":"The step \"a\" took longer.","type":"Millrace.StepError"}"#
    let payloads: [(JournalEntry.Kind, String)] = [
      (
        .takeUp,
        #"{"head":{"action":{"handle":{"_0":1}},"handlesAgain":true,"isSendersKey":false,"key":"x"},"mutations":[]}"#
      ),
      (.step, #"{"head":{"run":2,"step":{"failure":\#(failure),"kind":"step","name":"a"}},"mutations":[]}"#),
    ]
    let entries = payloads.map { JournalEntry(kind: $0, payload: Array($1.utf8)) }
    let batch = JournalBatch(id: .init(writer: 1, number: 1), entries: [.epoch(.now())] + entries, time: 0)
    #expect(await lives.journal.append([batch], to: "k", after: .start).stored == 1)
    let seen = Recorder<String>()
    let store = try await lives.open { run, _ in
      do {
        try await run.step("a") { _ in Issue.record("called") }
      } catch let failure as StepFailure {
        seen.record("\(failure.isTimeout) \(failure.typeName) \(failure)")
      }
    }
    #expect(await store.end().isEmpty)
    #expect(seen.recorded == [#"true Millrace.StepFailure The step "a" took longer."#])
  }

  @Test("T4: the error of a step inside the body of another one is an error of that body, each time the same")
  func nested() async throws {
    let seen = Recorder<String>()
    let handling: Stepped.Handling = { run, _ in
      do {
        try await run.step("outer") { _ in
          _ = try await run.wait("inner", timeout: .zero) { _ in nil as Int? }
        }
      } catch {
        seen.record("\(type(of: error)) of \((error as? StepFailure)?.step ?? "?"): \(error)")
      }
    }
    try await lives.crash(after: handling)
    _ = try await lives.open(handling).end()
    #expect(seen.recorded.count == 2 && Set(seen.recorded).count == 1)
    #expect(
      seen.recorded.first?.hasPrefix(#"StepFailure of outer: The step "outer" failed: The wait "inner" saw no"#) == true
    )
  }

  @Test("T4: an error that cannot be encoded is stored with its type and its text")
  func plainFailure() async throws {
    struct Plain: Error {}
    let seen = Recorder<String>()
    let handling: Stepped.Handling = { run, _ in
      do { try await run.step("a") { _ in throw Plain() } } catch { seen.record("\(error)") }
    }
    try await lives.crash(after: handling)
    _ = try await lives.open(handling).end()
    #expect(seen.recorded == Array(repeating: #"The step "a" failed: Plain()"#, count: 2))
  }
}
