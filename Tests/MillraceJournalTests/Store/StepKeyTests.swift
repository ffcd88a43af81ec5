import MillraceTesting
import Testing

@testable import Millrace
@testable import MillraceJournal

@Suite("The keys that gateways get from the runs of a log", .timeLimit(.minutes(1)))
struct StepKeyTests {
  private let clock = TestClock()
  private let keys = Recorder<String>()

  private func open(
    _ journal: some PartitionedJournal, _ handling: @escaping Stepped.Handling
  ) async throws -> Stores<String, Stepped> {
    try await Stores<String, Stepped>.open(
      name: "orders", journal: journal, configuration: StoreConfiguration(clock: clock), options: .everyRecord,
      initial: { _ in [] }, interactor: { _ in Stepped(handling) })
  }

  /// Notes the keys of a run and of its first step, and sleeps.
  private var handling: Stepped.Handling {
    { [keys] run, _ in
      keys.record(run.idempotencyKey)
      try await run.step("first") { keys.record($0.idempotencyKey) }
      try await run.sleep("rest", for: .seconds(3_600))
    }
  }

  /// Notes the keys of a run and of its second step, which an earlier process has not reached.
  private var continuing: Stepped.Handling {
    { [keys] run, _ in
      keys.record(run.idempotencyKey)
      try await run.step("first") { keys.record($0.idempotencyKey) }
      try await run.step("second") { keys.record($0.idempotencyKey) }
    }
  }

  // 100 stores whose senders used the key "job" all gave the gateway "3.job.first", and it charged one of them.
  @Test("T2: the keys of each of 100 stores whose senders use one key are its own")
  func manyStores() async throws {
    let journal = MemoryJournal()
    let stores = try await open(journal, handling)
    let single = try await Store.open(
      initial: [], interactor: Stepped(handling), journal: journal, key: "orders",
      configuration: StoreConfiguration(clock: clock))
    let others = try await Stores<String, Stepped>.open(
      name: "refunds", journal: journal, configuration: StoreConfiguration(clock: clock), initial: { _ in [] },
      interactor: { _ in Stepped(handling) })
    for number in 0..<98 { stores.send(.handle(1), to: "\(number)", key: "job") }
    single.send(.handle(1), key: "job")
    others.send(.handle(1), to: "17", key: "job")
    let found = Set(try await keys.next(200))
    #expect(found.count == 200)
    let names = (0..<98).map { "6.orders/\("\($0)".count).\($0)" } + ["6.orders", "7.refunds/2.17"]
    #expect(found == Set(names.flatMap { ["\($0)/3.job", "\($0)/3.job.first"] }))
    await stores.shutdown()
    await others.shutdown()
    await single.shutdown()
  }

  @Test("T2: an action that is sent again with its key after a failure has the same step keys")
  func sentAgain() async throws {
    let journal = MemoryJournal()
    for _ in 1...2 {
      let store = try await Store.open(
        initial: [],
        interactor: Stepped { [keys] run, _ in
          try await run.step("first") { step in
            keys.record(step.idempotencyKey)
            throw Refused()
          }
        }, journal: journal, key: "orders")
      for _ in 1...2 { #expect(await store.send(.handle(1), key: "job").outcome.kind == .failed) }
      await store.shutdown()
    }
    #expect(keys.recorded == Array(repeating: "6.orders/3.job.first", count: 4))
  }

  @Test("T2: a run that an earlier version has taken up keeps its keys, in snapshots and each time it is handled again")
  func earlierRun() async throws {
    let memory = MemoryJournal()
    #expect(await memory.append([.earlier()], to: "k", after: .start).stored == 1)
    let journal = UnsteadyJournal(memory)
    let lives = Lives(journal)
    _ = try await lives.open(options: .everyRecord, handling)
    #expect(try await keys.next(2) == ["job", "3.job.first"])
    let snapshot = try await journal.snapshots.next()
    #expect(try await memory.snapshot(of: "k") != nil && snapshot.sequence > 2)
    try await lives.clock.waitForSleepers()
    let store = try await lives.open(options: .everyRecord, continuing)
    #expect(try await keys.next(2) == ["job", "3.job.second"])
    store.send(.handle(2), key: "next")
    #expect(try await keys.next(2) == ["1.k/4.next", "1.k/4.next.first"])
  }

  @Test("T2: a run of an earlier version keeps its keys when its key hibernates, and in the process that takes it over")
  func earlierRunOfMany() async throws {
    let journal = KeysJournal()
    let partition = JournalPartition(of: "orders", number: 0)
    let claim = try await journal.claim(partition, as: .now())
    let key = JournalKey("17", of: "orders")
    let append = JournalKeyAppend([.earlier(wake: .now)], to: key, after: .start)
    #expect(await journal.append([append], claim: claim).first?.stored == 1)
    let first = try await open(journal, handling)
    #expect(try await first.state(of: "17").isEmpty)
    #expect(try await keys.next(2) == ["job", "3.job.first"])
    #expect(try await journal.snapshots.next() == "17")
    #expect(await first.hibernateWhenIdle("17"))
    #expect(try await first.state(of: "17").isEmpty)
    #expect(try await keys.next() == "job")
    let second = try await open(journal, continuing)
    #expect(try await second.state(of: "17").isEmpty)
    #expect(try await keys.next(2) == ["job", "3.job.second"])
    second.send(.handle(2), to: "17", key: "next")
    #expect(try await keys.next(2) == ["6.orders/2.17/4.next", "6.orders/2.17/4.next.first"])
    await second.shutdown(drainFor: .zero)
    await first.shutdown(drainFor: .zero)
  }

  @Test("T2: a take-up with a form of keys that is not known stops the opening, and one with an unknown field does not")
  func laterForms() async throws {
    let journal = MemoryJournal()
    #expect(await journal.append([.earlier(#""keyForm":3,"#)], to: "k", after: .start).stored == 1)
    let error = await #expect(throws: JournalError.self) { try await Lives(journal).open(handling) }
    #expect(error?.code == .corrupt && error?.sequence == 2)
    let other = MemoryJournal()
    #expect(await other.append([.earlier(#""keyForm":2,"later":[7],"#)], to: "k", after: .start).stored == 1)
    let store = try await Lives(other).open(handling)
    #expect(try await keys.next(2) == ["1.k/3.job", "1.k/3.job.first"])
    await store.shutdown(drainFor: .zero)
  }
}

private struct Refused: Error {}

extension JournalOptions {
  /// A snapshot at each record.
  fileprivate static var everyRecord: JournalOptions {
    var options = JournalOptions()
    (options.snapshotRecords, options.snapshotGrowth) = (1, 0)
    return options
  }
}

extension JournalBatch {
  /// The beginning of a log as versions wrote it whose keys had no names of logs: an epoch, and an open run of `Stepped`.
  ///
  /// - Parameter field: a property of the take-up that they did not write, with a comma behind it.
  fileprivate static func earlier(_ field: String = "", wake: JournalWake = .keep) -> JournalBatch {
    let takeUp = """
      {"head":{"action":{"handle":{"_0":1}},"handlesAgain":true,"isSendersKey":true,"key":"job",\(field)"limit":10,\
      "time":0},"mutations":[]}
      """
    return JournalBatch(
      id: .init(writer: 1, number: 1),
      entries: [.epoch(.now()), JournalEntry(kind: .takeUp, payload: Array(takeUp.utf8))], time: 0, wake: wake)
  }
}
