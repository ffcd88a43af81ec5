import Foundation
import MillraceTesting
import Testing

@testable import Millrace
@testable import MillraceJournal

@Suite("The limits of durable steps", .timeLimit(.minutes(1)))
struct DurableStepLimitsTests {
  private struct LargeError: Error, Codable {
    var text = String(repeating: "x", count: 85)
  }

  private let lives = Lives()
  private let calls = Recorder<String>()

  @Test("T10: any number of bytes may be set")
  func stepBytes() {
    var options = JournalOptions()
    options.stepBytes = .max
    let log = StoreLog<Stepped>(journal: lives.journal, key: "k", schema: StoreSchema(), options: options)
    #expect(log.stepLimits.resultBytes == 1 << 22 && log.stepLimits.runBytes == 1 << 26)
    options.stepBytes = -1
    #expect(
      StoreLog<Stepped>(journal: lives.journal, key: "k", schema: StoreSchema(), options: options).stepLimits
        .resultBytes == 0)
  }

  @Test(
    "T10: the bytes of results that were dropped while they waited for room do not count", arguments: [false, true])
  func droppedBytes(fails: Bool) async {
    await Simulation.run(seeds: 0..<5) { world in
      let (answers, begins, again) = (Gate(), Gate(), Gate())
      let journal = UnsteadyJournal(MemoryJournal(largestBatch: 1_000))
      var options = JournalOptions()
      (options.stepBytes, options.bufferedBytes) = (100, 2_000)
      let handling: Stepped.Handling = { run, _ in
        try await (run.attempt == 1 ? begins : again).enter()
        let numbers = run.attempt == 1 ? 1...16 : 17...17
        try await withThrowingTaskGroup { group in
          for number in numbers {
            group.addTask {
              _ = try await run.step("\(number)") { _ in
                if fails, number < 17 { throw LargeError() }
                return String(repeating: "x", count: 96)
              }
            }
          }
          try await group.waitForAll()
        }
      }
      let plan = Plan.concurrent.recovery(.handleAgain).retry(2, backoff: .none).attemptTimeout(.seconds(10))
      let store = try await Store.open(
        initial: [], interactor: Stepped(plan: plan, handling), journal: journal, key: "k",
        configuration: world.configuration, options: options)
      let receipt = store.send(.handle(1))
      try await begins.waitForArrivals(1)
      journal.hold(at: answers)
      while store.send(.note("note")).outcomeNow?.rejectionKind != .full {}
      begins.open()
      // The time of a world passes when nothing else can run, so all results have waited when the attempt is given up.
      try await world.clock.sleep(for: .seconds(15))
      answers.open()
      again.open()
      world.expect(await receipt.outcome.kind == .finished, "only the last result counts")
    }
  }

  @Test("T10: a result that is too large is stored as that failure; its body is not called again")
  func tooLarge() async throws {
    var options = JournalOptions()
    options.stepBytes = 100
    let seen = Recorder<String>()
    let handling: Stepped.Handling = { [calls] run, _ in
      do {
        _ = try await run.step("a", commit: { _ in ["committed"] }) { _ in
          calls.record("a")
          return String(repeating: "x", count: 97)
        }
      } catch let error as StepError {
        seen.record(error.description)
      }
      _ = try await run.step("b") { _ in String(repeating: "x", count: 96) }
    }
    try await lives.crash(options, after: handling)
    #expect(await (try lives.open(options: options, handling)).end() == [])
    #expect(calls.recorded == ["a"])
    #expect(
      seen.recorded
        == Array(
          repeating:
            #"The result of the step "a" has 101 bytes, and at most 100 are stored; return less, or a reference to the document. "#
            + "The run keeps this failure, also when it is handled again.", count: 2))
  }

  @Test(
    "T10: the results of a run have together at most 16 times the bytes of one; then a step throws before its body is called"
  )
  func tooManyBytes() async throws {
    var options = JournalOptions()
    options.stepBytes = 100
    let seen = Recorder<String>()
    let handling: Stepped.Handling = { run, _ in
      for number in 1...16 { _ = try await run.step("\(number)") { _ in String(repeating: "x", count: 95) } }
      for name in ["too large", "too many"] {
        do {
          _ = try await run.step(name) { _ in
            seen.record("called")
            return String(repeating: "x", count: 95)
          }
        } catch let error as StepError {
          seen.record("\(error.code)")
        }
        // 16 times 99 bytes are 16 fewer than all.
        if name == "too large" { _ = try await run.step("last") { _ in String(repeating: "x", count: 12) } }
      }
    }
    try await lives.crash(options, after: handling)
    #expect(seen.recorded == ["called", "tooLarge", "tooMany"])
  }
}
