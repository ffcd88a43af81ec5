import Foundation
import Millrace
import MillraceJournal
import MillraceTesting
import Testing

@Suite("Store.open", .timeLimit(.minutes(1)))
struct OpenStoreTests {
  private let journal = MemoryJournal()

  private func open(
    _ journal: some Journal, options: JournalOptions = JournalOptions(),
    configuration: StoreConfiguration = StoreConfiguration(),
    handling: @escaping Orders.Handling = { _, _ in }
  ) async throws -> Store<Orders> {
    try await Store.open(
      initial: [], interactor: Orders(handling: handling), journal: journal, key: "orders",
      configuration: configuration,
      options: options)
  }

  // MARK: Restoring

  @Test("D2: the restored state has every mutation whose action had its outcome, and revisions continue")
  func restored() async throws {
    let first = try await open(journal) { run, number in run.emit(.done(number)) }
    for action in [Orders.Action.note(1), .notes([2, 3]), .order(4)] {
      #expect(await first.send(action).outcome.kind == .finished)
    }
    let second = try await open(journal)
    #expect(await second.state == ["note 1", "note 2", "note 3", "open 4", "done 4"])
    #expect(await second.snapshot.revision == 5 && second.durableRevision == 5)
    #expect(await second.send(.note(5)).lastRevision == 6)
    #expect(try await open(journal).state.last == "note 5")
  }

  @Test("D3: a run that was open is abandoned with its closing, which is durable when the store is opened")
  func abandoned() async throws {
    let gate = Gate()
    let first = try await open(journal) { _, _ in try await gate.enter() }
    let receipts = [first.send(.order(1)), first.send(.order(2))]
    try await gate.waitForArrivals(2)
    let second = try await open(journal)
    let closed = ["open 1", "open 2", "abandoned 1", "abandoned 2"]
    #expect(await second.state == closed && second.durableRevision == 4)
    #expect(try await open(journal).state == closed)
    withExtendedLifetime((first, receipts)) {}
  }

  @Test(
    "The closing of an abandoned run that the coder or the journal does not take is reported, and the run is open no more",
    arguments: [false, true])
  func lostClosing(isTooLarge: Bool) async throws {
    let (journal, gate, incidents) = (MemoryJournal(largestBatch: 1_000), Gate(), Recorder<Incident>())
    let first = try await open(journal) { _, _ in try await gate.enter() }
    let receipt = first.send(.order(1))
    try await gate.waitForArrivals(1)
    var options = JournalOptions()
    options.coder = ClosingCoder(isLarge: isTooLarge)
    var configuration = StoreConfiguration()
    configuration.report = { incidents.record($0) }
    let second = try await open(journal, options: options, configuration: configuration)
    #expect(await second.state == ["open 1"])
    let incident = try #require(incidents.recorded.first)
    #expect(
      incident.description.contains(
        "that was open in the log (record 2) was not committed, because the journal did not"))
    #expect(incident.description.contains(isTooLarge ? "1000" : "Failure"))
    #expect(try await open(journal).state == ["open 1"], "its end is in the log")
    withExtendedLifetime((first, receipt)) {}
  }

  @Test("D3: a run whose plan says so is handled again, undecided and with the same idempotency key")
  func handledAgain() async throws {
    let (gate, keys) = (Gate(), Recorder<String>())
    let first = try await open(journal) { run, _ in
      keys.record(run.idempotencyKey)
      try await gate.enter()
    }
    let receipt = first.send(.orderAgain(7))
    let key = try await keys.next()
    let second = try await open(journal) { run, number in
      keys.record(run.idempotencyKey)
      run.emit(.done(number))
    }
    #expect(try await keys.next() == key)
    _ = try await second.wait { $0 == ["open 7", "done 7"] }
    await second.shutdown(drainFor: .seconds(10))
    #expect(try await open(journal).state == ["open 7", "done 7"], "its end is in the log, so it is not open again")
    withExtendedLifetime((first, receipt)) {}
  }

  @Test("D3: actions that are handled again exceed the limits, and a later one is refused until they have ended")
  func handledAgainBeyondLimits() async throws {
    let gate = Gate()
    let first = try await open(journal) { _, _ in try await gate.enter() }
    let receipts = (1...3).map { first.send(.orderAgain($0)) }
    try await gate.waitForArrivals(3)
    var configuration = StoreConfiguration()
    configuration.limits = .init(runsInFlight: 1, actionsWaiting: 0)
    let again = Gate()
    let second = try await open(journal, configuration: configuration) { run, number in
      try await again.enter()
      run.emit(.done(number))
    }
    #expect(await second.send(.orderAgain(4)).outcome.rejectionKind == .full)
    again.open()
    _ = try await second.wait { $0.count == 6 && $0.contains("done 3") }
    #expect(await (try second.submit(.orderAgain(4))).outcome.kind == .finished)
    #expect(await second.state.filter { $0.hasPrefix("done") }.sorted() == ["done 1", "done 2", "done 3", "done 4"])
    withExtendedLifetime((first, receipts)) {}
  }

  @Test("D4: the earlier store of a key stops with its next append, and its error names the newcomer")
  func fenced() async throws {
    let (first, second) = (try await open(journal), try await open(journal))
    let outcome = await first.send(.note(1)).outcome
    guard case .failed(let error as JournalError) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.code == .conflict && error.newcomer != nil)
    #expect(await first.send(.note(2)).outcome.rejectionKind == .journal)
    #expect(await second.send(.note(3)).outcome.kind == .finished)
    #expect(try await open(journal).state == ["note 3"])
  }

  @Test("A record that cannot be read stops the opening with its sequence, and changes nothing")
  func unreadable() async throws {
    let batch = JournalBatch(
      id: .init(writer: 1, number: 1), entries: [.init(kind: .decided, payload: Array("{}".utf8))])
    _ = await journal.append([batch], to: "orders", after: .start)
    let error = await #expect(throws: JournalError.self) { _ = try await open(journal) }
    #expect(error?.code == .corrupt && error?.sequence == 1)
    #expect(error?.description.contains("\"head\" is missing") == true, "\(error.map { "\($0)" } ?? "")")
    #expect(try await journal.lastSequence(of: "orders") == 1)
  }

  @Test("A long log is read page by page, with progress")
  func progress() async throws {
    let first = try await open(journal)
    let text = String(repeating: "x", count: 1 << 20)
    for _ in 0..<3 { _ = await first.send(.text(text)).outcome }
    let seen = Recorder<JournalProgress>()
    _ = try await Store.open(
      initial: [], interactor: Orders(), journal: journal, key: "orders", progress: { seen.record($0) })
    #expect(seen.recorded.count > 2 && seen.recorded.allSatisfy { $0.last == 4 })
    #expect(seen.recorded.map(\.sequence) == seen.recorded.map(\.sequence).sorted())
  }

  // MARK: Limits

  @Test("An action that the coder or the journal does not take ends alone, as rejected with the reason")
  func notTaken() async throws {
    let store = try await open(MemoryJournal(largestBatch: 1_000))
    for (action, code) in [
      (Orders.Action.broken(Unencodable()), JournalError.Code.notEncoded),
      (.text(String(repeating: "x", count: 1_000)), .tooLarge),
    ] {
      guard case .rejected(.journal(let error as JournalError)) = await store.send(action).outcome else {
        Issue.record("\(action) was taken")
        continue
      }
      #expect(error.code == code)
    }
    #expect(await store.send(.note(1)).outcome.kind == .finished)
    #expect(await store.state == ["note 1"])
  }

  @Test("D6: an unavailable journal is tried again, and what waits is stored then; past the deadline the store stops")
  func unavailable() async throws {
    let clock = TestClock()
    let journal = UnsteadyJournal(self.journal)
    var options = JournalOptions()
    options.deadline = .seconds(1)
    let store = try await open(journal, options: options, configuration: StoreConfiguration(clock: clock))
    journal.fail(.unavailable)
    let receipt = store.send(.note(1))
    try await clock.waitForSleepers(1)
    #expect(await store.state == ["note 1"] && store.durableRevision == 0)
    journal.fail(nil)
    clock.advance(by: .milliseconds(10))
    #expect(await receipt.outcome.kind == .finished)

    journal.fail(.unavailable)
    let late = store.send(.note(2))
    try await clock.waitForSleepers(1)
    // The deadline is a time on the clock, however few pauses that are.
    clock.advance(by: .seconds(1))
    #expect(await late.outcome.kind == .failed)
    #expect(await store.send(.note(3)).outcome.rejectionKind == .journal)
  }

  @Test("An append with an unknown result is looked up: a stored batch is not stored again, and another one is")
  func unknown() async throws {
    let clock = TestClock()
    let journal = UnsteadyJournal(self.journal)
    let store = try await open(journal, configuration: StoreConfiguration(clock: clock))
    journal.fail(.unknown, afterStoring: true)
    #expect(await store.send(.note(1)).outcome.kind == .finished)
    journal.fail(.unknown)
    let receipt = store.send(.note(2))
    try await clock.waitForSleepers(1)
    journal.fail(nil)
    clock.advance(by: .seconds(1))
    #expect(await receipt.outcome.kind == .finished)
    #expect(try await open(journal).state == ["note 1", "note 2"])
  }
}

/// JSON that has no closing mutations, or only large ones.
private struct ClosingCoder: JournalCoder {
  let isLarge: Bool
  private let base = JSONJournalCoder()

  init(isLarge: Bool) { self.isLarge = isLarge }

  func encode(_ value: some Encodable) throws -> Data {
    let data = try base.encode(value)
    guard String(decoding: data, as: UTF8.self).contains("\"closed\"") else { return data }
    if isLarge { return data + Data(repeating: UInt8(ascii: " "), count: 2_000) }
    throw Unencodable.Failure()
  }

  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try base.decode(type, from: data)
  }
}

/// A value that no coder takes.
struct Unencodable: Sendable, Codable {
  struct Failure: Error {}

  init() {}

  init(from decoder: any Decoder) throws { throw Failure() }

  func encode(to encoder: any Encoder) throws { throw Failure() }
}

/// Notes that are decided at once, and orders that are handled.
struct Orders: Interactor {
  typealias Handling = @Sendable (Run<Orders>, Int) async throws -> Void

  enum Action: Sendable, Codable {
    case note(Int)
    case notes([Int])
    case text(String)
    case broken(Unencodable)
    case order(Int)
    case orderAgain(Int)
  }

  enum Mutation: Sendable, Codable {
    case noted(Int)
    case text(String)
    case broken(Unencodable)
    case opened(Int)
    case done(Int)
    case closed(Int, String)
  }

  typealias State = [String]

  var handling: Handling = { _, _ in }

  func plan(for action: Action, state: [String]) -> Plan {
    if case .orderAgain = action { .concurrent.recovery(.handleAgain) } else { .concurrent }
  }

  func decide(_ action: Action, state: [String]) -> Decision<Mutation> {
    switch action {
    case .note(let number): .mutate(.noted(number))
    case .notes(let numbers): .mutate(numbers.map { .noted($0) })
    case .text(let text): .mutate(.text(text))
    case .broken(let value): .mutate(.broken(value))
    case .order(let number), .orderAgain(let number): .mutate(.opened(number), thenHandle: true)
    }
  }

  func handle(_ action: Action, state: [String]) -> Effect<Self> {
    Effect { run in
      switch action {
      case .order(let number), .orderAgain(let number): try await handling(run, number)
      case .note, .notes, .text, .broken: break
      }
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    switch action {
    case .order(let number), .orderAgain(let number): .closed(number, "\(outcome.kind)")
    case .note, .notes, .text, .broken: nil
    }
  }

  static func reduce(into state: inout [String], mutation: Mutation) {
    switch mutation {
    case .noted(let number): state.append("note \(number)")
    case .text(let text): state.append(text)
    case .broken: state.append("broken")
    case .opened(let number): state.append("open \(number)")
    case .done(let number): state.append("done \(number)")
    case .closed(let number, let outcome): state.append("\(outcome) \(number)")
    }
  }
}
