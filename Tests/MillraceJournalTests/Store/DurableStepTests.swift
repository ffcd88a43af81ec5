import Foundation
import MillraceTesting
import Testing

@testable import Millrace
@testable import MillraceJournal

@Suite("Durable steps", .timeLimit(.minutes(1)))
struct DurableStepTests {
  struct Declined: Error, Codable, Equatable {
    let reason: String
  }

  private let lives = Lives()
  private let calls = Recorder<String>()

  /// Takes an action up whose handler ends with a wait at a gate, and returns when the handler is there and its mutations are durable.
  private func crash(
    plan: Plan = .concurrent.recovery(.handleAgain), _ options: JournalOptions = JournalOptions(), key: String? = nil,
    after handling: @escaping Stepped.Handling
  ) async throws {
    let gate = Gate()
    let store = try await lives.open(plan: plan, options: options) { run, number in
      try await handling(run, number)
      try await gate.enter()
    }
    store.send(.handle(1), key: key)
    try await gate.waitForArrivals(1)
    for await _ in store.states(.latest.durable) { break }
  }

  // MARK: T1, T2

  @Test(
    "T1, T2: the result of a step and its mutations are one record, and the body is not called again once it is durable"
  )
  func storedOnce() async throws {
    let handling: Stepped.Handling = { [calls] run, _ in
      let charge = try await run.step("charge", commit: { ["charged \($0)", "and noted"] }) { step -> Int in
        calls.record(step.idempotencyKey)
        return 7
      }
      #expect(charge == 7)
      try await run.step("ship", commit: { ["shipped"] }) { _ in calls.record("ship") }
      run.emit("told", once: "tell")
    }
    try await crash(key: "order 1", after: handling)
    let kinds = try await lives.journal.all("k").map(\.entry.kind)
    #expect(kinds == [.epoch, .takeUp, .step, .step, .step])
    let store = try await lives.open(handling)
    #expect(await store.end() == ["charged 7", "and noted", "shipped", "told"])
    #expect(calls.recorded == ["7.order 1.charge", "ship"])
    #expect(lives.incidents.recorded.isEmpty)
  }

  @Test("T2: a crash between the return of a body and its record calls it again, with the same key")
  func beforeTheRecord() async throws {
    let journal = UnsteadyJournal(lives.journal)
    let lives = Lives(journal)
    let (gate, keys) = (Gate(), Recorder<String>())
    let handling: Stepped.Handling = { run, _ in
      try await run.step("a", commit: { ["done"] }) { step in
        keys.record(step.idempotencyKey)
        if keys.recorded.count == 1 { try await gate.enter() }
      }
    }
    let first = try await lives.open(handling)
    let receipt = first.send(.handle(1))
    try await gate.waitForArrivals(1)
    let second = try await lives.open(handling)
    #expect(await second.end() == ["done"])
    #expect(keys.recorded.count == 2 && Set(keys.recorded).count == 1)
    // The earlier process is fenced: its late result is not in the log.
    gate.open()
    guard case .failed = await receipt.outcome else {
      Issue.record("the first store was not fenced")
      return
    }
    let third = try await lives.open(handling)
    #expect(await third.state == ["done"])
  }

  @Test("A step returns when its result is durable, and not before")
  func returnsWhenDurable() async throws {
    let (journal, gate, returned) = (UnsteadyJournal(MemoryJournal()), Gate(), Recorder<String>())
    let store = try await Lives(journal).open { run, _ in
      try await run.step("a", commit: { ["a"] }) { _ in
        returned.record("body")
        journal.hold(at: gate)
      }
      returned.record("returned")
    }
    let receipt = store.send(.handle(1))
    try await gate.waitForArrivals(1)
    #expect(await store.state == ["a"], "the state is ahead of the journal")
    #expect(returned.recorded == ["body"])
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
    #expect(returned.recorded == ["body", "returned"])
  }

  @Test("T2: an attempt that finds the result of the attempt before gets it when it is durable, and not before")
  func otherAttempt() async throws {
    let (journal, gate, seen) = (UnsteadyJournal(MemoryJournal()), Gate(), Recorder<String>())
    let lives = Lives(journal)
    let plan = Plan.concurrent.recovery(.handleAgain).retry(2, backoff: .none).attemptTimeout(.seconds(10))
    let store = try await lives.open(plan: plan) { run, _ in
      if run.attempt == 2 { seen.record("again") }
      try await run.step("a") { _ in journal.hold(at: gate) }
      seen.record("attempt \(run.attempt)")
    }
    let receipt = store.send(.handle(1))
    try await gate.waitForArrivals(1)
    try await lives.clock.waitForSleepers()
    lives.clock.advance(by: .seconds(10))
    #expect(try await seen.next() == "again")
    #expect(seen.recorded == ["again"])
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
    #expect(seen.recorded.contains("attempt 2"))
  }

  private struct LargeError: Error, Codable {
    var text = String(repeating: "x", count: 85)
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

  @Test("T6: where an action is not handled again only the mutations are stored, those of a step as one record")
  func abandoned() async throws {
    try await crash(plan: .concurrent) { run, _ in
      try await run.step("none") { _ in }
      try await run.step("two", commit: { ["a", "b"] }) { _ in }
      run.emit("c", once: "once")
      try await run.sleep("sleep", for: .zero)
      #expect(try await run.wait("wait") { $0.count } == 3)
    }
    let records = try await lives.journal.all("k")
    #expect(records.map(\.entry.kind) == [.epoch, .takeUp, .emit, .emit])
    #expect(records.last?.entry.revision == 3)
    #expect(try await lives.open { _, _ in }.end() == ["a", "b", "c", "abandoned"])
  }

  // MARK: T4

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
        #expect(error.message.count == 4_096 && error.typeName.hasSuffix("DurableStepTests.Declined"))
        #expect(error.error(as: Other.self) == nil)
        try await run.step("refund", commit: { ["refunded"] }) { _ in calls.record("refund") }
      }
    }
    try await crash(after: handling)
    isUp.record(true)
    let store = try await lives.open(handling)
    #expect(await store.end() == ["refunded"])
    #expect(calls.recorded == ["charge", "refund"])
  }

  private struct Other: Error, Codable, Equatable { let reason: String }

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
    try await crash(after: handling)
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
    try await crash(after: handling)
    _ = try await lives.open(handling).end()
    #expect(seen.recorded == Array(repeating: #"The step "a" failed: Plain()"#, count: 2))
  }

  // MARK: T3, T7: another version of the handler

  @Test("T3: steps that are inserted, removed or swapped leave the results of the others as they are")
  func changedHandler() async throws {
    try await crash { [calls] run, _ in
      for name in ["a", "b", "c"] { try await run.step(name, commit: { [name] }) { _ in calls.record(name) } }
    }
    let store = try await lives.open { [calls] run, _ in
      for name in ["c", "new", "a"] { try await run.step(name, commit: { [name] }) { _ in calls.record(name) } }
    }
    #expect(await store.end() == ["a", "b", "c", "new"])
    #expect(calls.recorded == ["a", "b", "c", "new"])
    #expect(lives.incidents.recorded.map(\.kind) == [.unusedSteps])
    #expect(
      lives.incidents.recorded.first?.description.hasSuffix(
        #"without the stored steps "b"; if this version does their work under another name, it was done twice."#)
        == true)
  }

  @Test("T3: five steps of a task group, done in one order and asked for in another, have the same results")
  func parallel() async throws {
    func handling(_ order: [Int]) -> Stepped.Handling {
      { [calls] run, _ in
        let results = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
          for number in order {
            group.addTask {
              (
                number,
                try await run.step("\(number)") { _ in
                  calls.record("\(number)")
                  return number * 10
                }
              )
            }
          }
          return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(results == [1: 10, 2: 20, 3: 30, 4: 40, 5: 50])
      }
    }
    try await crash(after: handling([1, 2, 3, 4, 5]))
    _ = try await lives.open(handling([4, 2, 5, 1, 3])).end()
    #expect(calls.recorded.count == 5)
  }

  @Test("T7: a result of another type ends the run with a sentence that names the step, and commits nothing more of it")
  func otherType() async throws {
    try await crash { run, _ in _ = try await run.step("charge") { _ in 7 } }
    let thrown = Recorder<Bool>()
    let store = try await lives.open { run, _ in
      do {
        _ = try await run.step("charge") { _ in "seven" }
      } catch {
        thrown.record(error is CancellationError)
        #expect(!run.emit("caught"))
        await #expect(throws: CancellationError.self) { try await run.step("refund") { _ in Issue.record("called") } }
      }
    }
    #expect(try await thrown.next())
    let state = await store.end()
    #expect(
      state.first?.hasPrefix(#"failed: The stored result of the step "charge" cannot be read as Swift.String: "#)
        == true)
    #expect(state.first?.hasSuffix("; a step with a new meaning or another type needs a new name.") == true)
    #expect(state.count == 1)
  }

  @Test(
    "T7: a name that is stored for another kind of step ends the run", arguments: ["step", "sleep", "wait", "once"])
  func otherKind(_ kind: String) async throws {
    try await crash { run, _ in
      try await Self.ask(kind, run)
      // An emit is durable when what comes behind it is.
      try await run.step("last") { _ in }
    }
    for other in ["step", "sleep", "wait", "once"] where other != kind {
      let (lives, returned) = (Lives(try await copy(of: lives.journal)), Recorder<Bool>())
      let store = try await lives.open { run, _ in
        var isOver = other == "once"
        do { try await Self.ask(other, run) } catch { isOver = error is CancellationError }
        run.emit("after")
        returned.record(isOver)
      }
      #expect(try await returned.next())
      #expect(await store.end().last?.hasPrefix(#"failed: The step "a" is stored as a"#) == true)
    }
  }

  private static func ask(_ kind: String, _ run: Run<Stepped>) async throws {
    switch kind {
    case "step": try await run.step("a") { _ in }
    case "sleep": try await run.sleep("a", for: .zero)
    case "wait": _ = try await run.wait("a") { _ in 1 }
    default: run.emit("emitted", once: "a")
    }
  }

  /// A journal with the records of another one, in which the run is open.
  private func copy(of journal: any Journal) async throws -> any Journal {
    let copy = MemoryJournal()
    for record in try await journal.all("k") {
      _ = await copy.append(
        [JournalBatch(id: record.batch, entries: [record.entry])], to: "k",
        after: JournalSequence(record.sequence.number - 1))
    }
    return copy
  }

  @Test("A result that cannot be encoded ends the run, and nothing of the step is committed")
  func notEncoded() async throws {
    struct Odd: Codable, Sendable {
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: "odd"))
      }
    }
    let store = try await lives.open { run, _ in
      _ = try await run.step("a", commit: { _ in ["a"] }) { _ in Odd() }
    }
    let outcome = await store.send(.handle(1)).outcome
    guard case .failed(let error as JournalError) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.code == .notEncoded && error.description.hasPrefix("The result of a step of \"k\" cannot be encoded"))
    #expect(await store.state == ["failed"])
  }

  // MARK: T8

  @Test("T8: a step sets the number of deaths in a row back; without one the run is abandoned at its limit")
  func deathsInARow() async throws {
    for steps in [true, false] {
      let lives = Lives()
      let (gate, plan) = (Gate(), Plan.concurrent.recovery(.handleAgain(limit: 2)))
      var last: Store<Stepped>?
      for life in 0..<6 {
        let store = try await lives.open(plan: plan) { run, _ in
          if steps { try await run.step("\(life)") { _ in } }
          try await gate.enter()
        }
        if life == 0 { store.send(.handle(1)) }
        if steps || life < 3 { try await gate.waitForArrivals(life + 1) }
        last = store
      }
      #expect(await last?.state == (steps ? [] : ["abandoned"]))
    }
  }

  // MARK: Snapshots

  @Test("Steps of an open run survive a snapshot that removes their records")
  func snapshot() async throws {
    var options = JournalOptions()
    options.snapshotRecords = 2
    options.snapshotGrowth = 0
    let handling: Stepped.Handling = { [calls] run, _ in
      for number in 1...9 {
        try await run.step("\(number)", commit: { ["\(number)"] }) { _ in calls.record("\(number)") }
      }
      try await run.sleep("sleep", for: .zero)
    }
    let journal = UnsteadyJournal(lives.journal)
    let (lives, gate) = (Lives(journal), Gate())
    let first = try await lives.open(options: options) { run, number in
      try await handling(run, number)
      try await gate.enter()
    }
    first.send(.handle(1))
    try await gate.waitForArrivals(1)
    _ = try await journal.snapshots.next()
    _ = try await journal.truncations.next()
    let store = try await lives.open(options: options, handling)
    #expect(await store.end() == (1...9).map { "\($0)" })
    #expect(calls.recorded.count == 9)
  }

  // MARK: T10

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
    try await crash(options, after: handling)
    #expect(await (try lives.open(options: options, handling)).end() == [])
    #expect(calls.recorded == ["a"])
    #expect(
      seen.recorded
        == Array(
          repeating:
            #"The result of the step "a" has 101 bytes, and at most 100 are stored; return a reference in place of the document, "#
            + "or raise 'stepBytes'.", count: 2))
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
    try await crash(options, after: handling)
    #expect(seen.recorded == ["called", "tooLarge", "tooMany"])
  }

  // MARK: Values

  @Test("Values of each shape are read back as they were: nil, nothing, texts, numbers, containers and empty values")
  func shapes() async throws {
    struct Empty: Codable, Sendable, Equatable {}
    let handling: Stepped.Handling = { [calls] run, _ in
      func ask<Value: Codable & Sendable & Equatable>(_ name: String, _ value: Value) async throws {
        let result = try await run.step(name) { _ in
          calls.record(name)
          return value
        }
        #expect(result == value)
      }
      try await ask("nil", Int?.none)
      try await ask("some", Int?.some(3))
      try await ask("text", "é\n\"\u{0}")
      try await ask("number", 1.5)
      try await ask("infinite", Double.infinity)
      try await ask("list", [1, 2])
      try await ask("data", Data([0, 255, 128]))
      try await ask("empty", Empty())
    }
    try await crash(after: handling)
    _ = try await lives.open(handling).end()
    #expect(calls.recorded.count == 8 && lives.incidents.recorded.isEmpty)
  }

  @Test("The bytes of a result are text in the log if they are UTF-8, and base64 otherwise")
  func bytes() throws {
    for bytes in [Array("[{\"a\":1}]".utf8), [0xFF, 0x00, 0x80], []] as [[UInt8]] {
      let payload = StepPayload(StoredStep("a", .step, .value(bytes)))
      let json = try JSONJournalCoder().encode(payload)
      let read = try JSONJournalCoder().decode(StepPayload.self, from: json).stored
      guard case .value(let value) = read.content else {
        Issue.record("\(read)")
        continue
      }
      #expect(value == bytes && read.name == "a" && read.kind == .step)
      #expect(String(decoding: json, as: UTF8.self).contains(bytes.first == 0xFF ? "\"data\":\"/wCA\"" : "\"text\":"))
    }
  }
}
