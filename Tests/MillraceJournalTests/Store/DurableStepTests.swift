import Foundation
import MillraceTesting
import Testing

@testable import Millrace
@testable import MillraceJournal

@Suite("Durable steps", .timeLimit(.minutes(1)))
struct DurableStepTests {
  private let lives = Lives()
  private let calls = Recorder<String>()

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
    try await lives.crash(key: "order 1", after: handling)
    let kinds = try await lives.journal.all("k").map(\.entry.kind)
    #expect(kinds == [.epoch, .takeUp, .step, .step, .step])
    let store = try await lives.open(handling)
    #expect(await store.end() == ["charged 7", "and noted", "shipped", "told"])
    #expect(calls.recorded == ["1.k/7.order 1.charge", "ship"])
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

  @Test("T6: where an action is not handled again only the mutations are stored, those of a step as one record")
  func abandoned() async throws {
    try await lives.crash(plan: .concurrent) { run, _ in
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

  // MARK: T3, T7: another version of the handler

  @Test("T3: steps that are inserted, removed or swapped leave the results of the others as they are")
  func changedHandler() async throws {
    try await lives.crash { [calls] run, _ in
      for name in ["a", "b", "c"] { try await run.step(name, commit: { [name] }) { _ in calls.record(name) } }
    }
    let store = try await lives.open { [calls] run, _ in
      for name in ["c", "new", "a"] { try await run.step(name, commit: { [name] }) { _ in calls.record(name) } }
    }
    #expect(await store.end() == ["a", "b", "c", "new"])
    #expect(calls.recorded == ["a", "b", "c", "new"])
    #expect(await store.metrics.unusedSteps == 1 && lives.incidents.recorded.isEmpty)
  }

  // A handler that branched on the state gave an incident in a third of all runs.
  @Test("T7: stored steps that a handler has not asked for are counted when its run finishes, and are no incident")
  func unusedSteps() async throws {
    try await lives.crash { run, _ in
      for name in ["a", "b", "c"] { try await run.step(name, commit: { [name] }) { _ in } }
    }
    let store = try await lives.open { run, _ in
      let state = try await run.state
      if !state.contains("a") { try await run.step("a") { _ in } }
      try await run.step("b") { _ in }
      if !state.contains("c") { try await run.step("c") { _ in } }
    }
    #expect(await store.end() == ["a", "b", "c"])
    #expect(await store.metrics.unusedSteps == 2)
    #expect(lives.incidents.recorded.isEmpty)
    let next = try await lives.open { _, _ in }
    next.send(.handle(1))
    _ = await next.end()
    #expect(await next.metrics.unusedSteps == 0, "a run that was not handled again has none")
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
    try await lives.crash(after: handling([1, 2, 3, 4, 5]))
    _ = try await lives.open(handling([4, 2, 5, 1, 3])).end()
    #expect(calls.recorded.count == 5)
  }

  @Test("T7: a result of another type ends the run with a sentence that names the step, and commits nothing more of it")
  func otherType() async throws {
    try await lives.crash { run, _ in _ = try await run.step("charge") { _ in 7 } }
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
    try await lives.crash { run, _ in
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
    try await lives.crash(after: handling)
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
