import Millrace
import MillraceJournal
import MillraceTesting
import Testing

@Suite("The room of the entries that wait to be stored", .timeLimit(.minutes(1)))
struct JournalRoomTests {
  private let memory = MemoryJournal(largestBatch: 1_000)

  private func journal() -> UnsteadyJournal { UnsteadyJournal(memory) }

  /// Opens a store of whose entries 2,000 bytes may wait.
  private func open<I: Interactor>(
    _ interactor: I, _ initial: I.State, _ journal: some Journal, clock: any Clock<Duration> = ContinuousClock()
  ) async throws -> Store<I> where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
    var options = JournalOptions()
    options.bufferedBytes = 2_000
    return try await Store.open(
      initial: initial, interactor: interactor, journal: journal, key: "orders",
      configuration: StoreConfiguration(clock: clock),
      options: options)
  }

  // An unavailable journal was the end of a store whose handlers emitted more than the buffer takes.
  @Test("D6: a run that emits past three quarters of the buffer ends alone, with its closing, and the store continues")
  func emits() async throws {
    let (clock, journal, gate, ended) = (TestClock(), journal(), Gate(), Recorder<Int>())
    let store = try await open(
      Orders { run, number in
        try await gate.enter()
        while run.emit(.done(number)) {}
        ended.record(number)
      }, [], journal, clock: clock)
    let run = store.send(.order(1))
    try await gate.waitForArrivals(1)
    journal.fail(.unavailable)
    gate.open()
    _ = try await ended.next()
    try await clock.waitForSleepers(1)
    #expect(
      store.send(.note(1)).outcomeNow?.isFull(of: "JournalOptions.bufferedBytes") == true, "half of the buffer waits")
    journal.fail(nil)
    clock.advance(by: .seconds(1))
    guard case .failed(let error as JournalError) = await run.outcome else {
      Issue.record("\(await run.outcome)")
      return
    }
    #expect(
      error.description
        == "Three quarters of the 2000 bytes that may wait to be stored for \"orders\" do, so a run that emitted more was ended; return "
        + "a sequence of mutations from 'handle', which is asked for the next one only while there is room, or raise 'bufferedBytes'."
    )
    #expect(await (try store.submit(.note(2))).outcome.kind == .finished)
    let state = await store.state
    #expect(state.suffix(2) == ["failed 1", "note 2"] && state.count > 5)
    #expect(try await open(Orders(), [], self.journal()).state == state)
  }

  @Test("D6: a decision for which there is no room is rejected as full, and has changed nothing")
  func decisions() async throws {
    let (clock, journal) = (TestClock(), journal())
    let store = try await open(Orders(), [], journal, clock: clock)
    journal.fail(.unavailable)
    let first = store.send(.note(1))
    try await clock.waitForSleepers(1)
    let large = String(repeating: "x", count: 850)
    #expect(store.send(.text(large)).outcomeNow?.isFull(of: "JournalOptions.bufferedBytes") == true)
    let second = store.send(.note(2))
    #expect(await store.state == ["note 1", "note 2"], "a smaller one has room")
    journal.fail(nil)
    clock.advance(by: .seconds(1))
    for receipt in [first, second] { #expect(await receipt.outcome.kind == .finished) }
    #expect(await store.send(.text(large)).outcome.kind == .finished)
  }

  @Test("D6: a handler that returns a sequence is asked for its next mutation only while half of the buffer is free")
  func sequences() async throws {
    let asked = Recorder<Int>()
    let store = try await open(Texts { asked.record($0) }, 0, journal())
    var receipts: [Receipt] = []
    for _ in 0..<3 {
      var receipt = try await store.submit(.write(200))
      // The bytes of an entry are known when the action is taken up, so one that a submit has admitted may find no room.
      if receipt.outcomeNow?.rejectionKind == .full {
        for earlier in receipts { _ = await earlier.outcome }
        receipt = try await store.submit(.write(200))
      }
      receipts.append(receipt)
    }
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    #expect(await store.state == 600)
    #expect(asked.recorded.count == 603)
    #expect(try await open(Texts { _ in }, 0, self.journal()).state == 600)
  }

  @Test(
    "A handler that waits for room is cancelled with its run, and with the failure of the journal",
    arguments: [true, false])
  func waiting(isCancelled: Bool) async {
    await Simulation.run(seeds: 0..<20) { world in
      let journal = UnsteadyJournal(MemoryJournal(largestBatch: 1_000))
      let (begins, answers, asked) = (Gate(), Gate(), Recorder<Int>())
      let store = try await open(
        Texts { number in
          try? await begins.enter()
          asked.record(number)
        }, 0, journal, clock: world.clock)
      let receipt = store.send(.write(100))
      try await begins.waitForArrivals(1)
      journal.hold(at: answers)
      begins.open()
      // The time of a world passes when nothing else can run, so the handler waits by then.
      try await world.clock.sleep(for: .seconds(1))
      world.expect((3..<100).contains(asked.recorded.count), "the handler was asked for a part of its mutations")
      let count = asked.recorded.count
      if isCancelled {
        receipt.cancel()
        try await world.clock.sleep(for: .seconds(1))
        answers.open()
      } else {
        try await world.clock.sleep(for: .seconds(60))
      }
      world.expect(await receipt.outcome.kind == (isCancelled ? .cancelled : .failed), "it has ended")
      // The handler was resumed, and asked for one more mutation at most, which was not committed.
      world.expect(await store.shutdown().notReturned.isEmpty || !isCancelled, "the handler has returned")
      world.expect(asked.recorded.count <= count + 1, "the handler ends")
    }
  }

  @Test("A store is not opened on a journal whose largest batch might never have room")
  func tooSmall() async throws {
    let error = await #expect(throws: JournalError.self) {
      _ = try await open(Orders(), [], MemoryJournal(largestBatch: 1_001))
    }
    #expect(
      error?.description
        == "A batch of the journal may have 1001 bytes, more than half of the 2000 that may wait to be stored for \"orders\", so it might "
        + "never have room; open the journal with a smaller 'largestBatch', or raise 'bufferedBytes' to twice as much.")
    _ = try await open(Orders(), [], MemoryJournal(largestBatch: 1_000))
    #expect(JournalOptions().bufferedBytes / 2 >= MemoryJournal().largestBatch, "the defaults fit")
  }
}

/// Writes texts that are asked for one by one, and counts them.
private struct Texts: Interactor {
  enum Action: Sendable, Codable { case write(Int) }

  struct Mutation: Sendable, Codable { var text = String(repeating: "x", count: 40) }

  let asked: @Sendable (Int) async -> Void

  func handle(_ action: Action, state: Int) -> AsyncStream<Mutation> {
    guard case .write(let count) = action else { return AsyncStream { $0.finish() } }
    let numbers = Recorder<Int>()
    return AsyncStream(unfolding: {
      let number = numbers.recorded.count
      numbers.record(number)
      await asked(number)
      return number < count ? Mutation() : nil
    })
  }

  static func reduce(into state: inout Int, mutation: Mutation) { state += 1 }
}

extension Outcome {
  /// Whether the action was rejected because of this limit.
  func isFull(of limit: String) -> Bool {
    if case .rejected(.full(let sentence)) = self { sentence.contains("`\(limit)`") } else { false }
  }
}
