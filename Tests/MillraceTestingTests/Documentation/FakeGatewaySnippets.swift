import Foundation
import Millrace
import Testing

@testable import MillraceTesting

/// The snippets of docs/testing-with-fake-gateways.md, as they stand there.
enum FakeGatewaySnippets {
  struct Record: Sendable, Hashable, Codable {
    var name: String
  }

  struct Offline: Error {}

  struct Refused: Error, Codable {}

  // snippet.RecordsGateway
  protocol RecordsGateway: Sendable {
    func fetch(_ query: String) async throws -> [Record]
    func remove(_ name: String, at index: Int) async throws
    func follow(_ query: String) -> AsyncThrowingStream<Record, any Error>
  }
  // snippet.end

  struct Records: Interactor {
    enum Action { case search(String), follow(String), unfollow }
    enum Mutation { case found([Record]), added(Record), failed(String) }
    struct State: Equatable {
      var records: [Record] = []
      var failure: String?
    }

    // snippet.fake-three-lines
    let gateway: any RecordsGateway

    func plan(for action: Action, state: State) -> Plan {
      switch action {
      case .search: .latest(key: "search").retry(2)
      case .follow, .unfollow: .latest(key: "follow")
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in
        switch action {
        case .search(let query): run.emit(.found(try await gateway.fetch(query)))
        case .follow(let query): for try await record in gateway.follow(query) { run.emit(.added(record)) }
        case .unfollow: break
        }
      }
    }
    // snippet.end

    func closing(_ action: Action, outcome: Outcome) -> Mutation? {
      if case .failed(let error) = outcome { .failed("\(error)") } else { nil }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .found(let records): state = State(records: records)
      case .added(let record): state.records.append(record)
      case .failed(let failure): state.failure = failure
      }
    }
  }

  // snippet.FakeRecords
  struct FakeRecords: RecordsGateway, FakeGateway {
    let fetches = FakeCall<String, [Record]>("fetch")
    let removals = FakeCall<(name: String, index: Int), Void>("remove")
    let follows = FakeStream<String, Record>("follow")

    func fetch(_ query: String) async throws -> [Record] { try await fetches(query) }
    func remove(_ name: String, at index: Int) async throws { try await removals((name, index)) }
    func follow(_ query: String) -> AsyncThrowingStream<Record, any Error> { follows(query) }
  }
  // snippet.end

  // snippet.FakeArchive
  actor FakeArchive: FakeGateway {
    let loads = FakeCall<String, Record>("load")
    nonisolated var fakes: [any FakeMethod] { [loads] }
  }
  // snippet.end

  struct FakeShelf: FakeGateway {
    let counts = FakeCall<Void, Int>("count")
    let loads = FakeCall<String, Record>("load")

    // snippet.count
    func count() async -> Int { await counts { _ in 0 } }
    func load(_ name: String) async throws(Refused) -> Record {
      try await loads(name) { error throws(Refused) in throw error as? Refused ?? Refused() }
    }
    // snippet.end
  }

  struct FakePages: FakeGateway {
    let fetches: FakeCall<Int, String>
    // snippet.line-failure
    init(file: StaticString = #filePath, line: UInt = #line) {
      fetches = FakeCall("fetch", file: file, line: line)
    }
    // snippet.end
  }
}

@Suite("The snippets of docs/testing-with-fake-gateways.md", .timeLimit(.minutes(1)))
struct FakeGatewaySnippetsTests {
  typealias Record = FakeGatewaySnippets.Record
  typealias Records = FakeGatewaySnippets.Records
  typealias FakeRecords = FakeGatewaySnippets.FakeRecords
  typealias Offline = FakeGatewaySnippets.Offline
  typealias Refused = FakeGatewaySnippets.Refused

  @Test("A search shows what the gateway found")
  func aSearchShowsRecords() async throws {
    // snippet.test
    let gateway = FakeRecords()
    gateway.fetches.reply([Record(name: "apple")])
    let store = Store(initial: .init(), interactor: Records(gateway: gateway))

    _ = await store.send(.search("a")).outcome

    #expect(await store.state.records == [Record(name: "apple")])
    #expect(gateway.fetches.requests == ["a"])
    await gateway.finish()
    // snippet.end
  }

  @Test("An answer to an older search is dropped")
  func anOlderAnswerIsDropped() async throws {
    let gateway = FakeRecords()
    // snippet.force-interleaving
    let old = gateway.fetches.when("a").hold(ignoringCancellation: true)
    let new = gateway.fetches.when("ap").hold()
    // snippet.end
    var configuration = StoreConfiguration()
    configuration.report = { _ in }  // The late answer, which is what this test is about.
    let store = Store(initial: .init(), interactor: Records(gateway: gateway), configuration: configuration)

    // snippet.force-order
    let first = store.send(.search("a"))
    try await old.arrived()
    let second = store.send(.search("ap"))
    try await new.arrived()

    new.release([Record(name: "apple")])
    #expect(await second.outcome.kind == .finished)
    old.release([Record(name: "avocado")])
    #expect(await first.outcome.kind == .superseded)

    await store.shutdown()
    #expect(await store.state.records == [Record(name: "apple")])
    await gateway.finish()
    // snippet.end
  }

  @Test("Scripts are taken as the page says")
  func scripts() async throws {
    let gateway = FakeRecords()
    let (apple, melon) = (Record(name: "apple"), Record(name: "melon"))
    // snippet.scripts
    gateway.fetches.reply([apple])
    gateway.fetches.reply([], times: 3)
    gateway.fetches.fail(Offline())
    gateway.fetches.when("m").reply([melon])
    gateway.fetches.when { $0.isEmpty }.reply { query in try await load(query) }
    gateway.fetches.always { query in [Record(name: query)] }
    gateway.removals.reply()
    gateway.follows.reply([apple, melon], failing: Offline())
    // snippet.end
    #expect(try await gateway.fetch("m") == [melon])
    #expect(try await gateway.fetch("m") == [apple])
    for _ in 0..<3 { #expect(try await gateway.fetch("a") == []) }
    #expect(try await gateway.fetch("") == [Record(name: "loaded")])
    await #expect(throws: Offline.self) { try await gateway.fetch("a") }
    #expect(try await gateway.fetch("kiwi") == [Record(name: "kiwi")])
    try await gateway.remove("kiwi", at: 1)
    var followed: [Record] = []
    await #expect(throws: Offline.self) {
      for try await record in gateway.follow("all") { followed.append(record) }
    }
    #expect(followed == [apple, melon])
    await gateway.finish()
  }

  @Test("A standing answer goes by the number of the call")
  func standingAnswers() async throws {
    let gateway = FakeRecords()
    // snippet.scripts-always
    gateway.fetches.always(byNumber: { _, number in [Record(name: "version \(number)")] })
    gateway.fetches.when("old").fail(Offline())
    // snippet.end
    #expect(try await gateway.fetch("a") == [Record(name: "version 1")])
    await #expect(throws: Offline.self) { try await gateway.fetch("old") }
    #expect(try await gateway.fetch("b") == [Record(name: "version 3")])
    await gateway.finish()
  }

  private func load(_ query: String) async throws -> [Record] { [Record(name: "loaded")] }

  @Test("Following ends with the unfollowing")
  func following() async throws {
    let gateway = FakeRecords()
    let store = Store(initial: .init(), interactor: Records(gateway: gateway))
    // snippet.streams
    let news = gateway.follows.drive()
    store.send(.follow("all"))
    #expect(try await news.opened() == "all")
    news.yield(Record(name: "apple"))
    _ = try await store.wait(until: { $0.records.count == 1 }, timeout: nil)
    store.send(.unfollow)
    try await news.ended()
    // snippet.end
    await store.shutdown()
    await gateway.finish()
  }

  @Test("The times of the log are those of the clock")
  func log() async throws {
    let (gateway, clock) = (FakeRecords(), TestClock())
    gateway.fetches.always([])
    // snippet.log
    gateway.use(clock: clock)
    clock.advance(by: .seconds(2))
    _ = try await gateway.fetch("a")
    #expect(gateway.fetches.calls.map(\.request) == ["a"])
    #expect(gateway.fetches.calls[0].began == .seconds(2))
    // snippet.end
    if case .replied? = gateway.fetches.calls[0].ending {} else { Issue.record("It was answered.") }
    try await gateway.fetches.waitForCalls(1)
    await gateway.finish()
  }

  @Test("Faults are met, and retried")
  func faults() async throws {
    let gateway = FakeRecords()
    gateway.fetches.always([])
    let clock = ImmediateClock()
    // snippet.latency-faults
    gateway.inject(
      FakeFaults(
        seed: 7, clock: clock, latency: .exponential(mean: .milliseconds(20)), faults: [.timeout: 0.05, .reset: 0.1]))
    // snippet.end
    let store = Store(
      initial: .init(), interactor: Records(gateway: gateway), configuration: StoreConfiguration(clock: clock))
    for _ in 0..<100 { _ = await store.send(.search("a")).outcome }
    let met = gateway.fetches.calls.compactMap(\.fault)
    #expect(met.contains(.timeout) && met.contains(.reset))
    await gateway.finish()
  }

  @Test("The replies of a live gateway are recorded and replayed")
  func recording() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jsonl").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let (live, gateway) = (FakeRecords(), FakeRecords())
    live.fetches.reply([Record(name: "apple")])
    live.fetches.fail(Refused())
    live.removals.reply()
    live.follows.reply([Record(name: "melon")])
    // snippet.record-replay
    let recorder = try FakeRecorder(path: path)
    gateway.fetches.record(in: recorder, errors: Refused.self) { query in try await live.fetch(query) }
    gateway.removals.record(in: recorder) { try await live.remove($0.name, at: $0.index) }
    gateway.follows.record(in: recorder) { query in live.follow(query) }
    // snippet.end
    try await ask(gateway)
    await live.finish()
    // snippet.record-finish
    try recorder.finish()
    // snippet.end
    let replaying = FakeRecords()
    // snippet.replay
    let recording = try FakeRecording(path: path)
    try replaying.fetches.replay(recording, errors: Refused.self)
    try replaying.removals.replay(recording)
    try replaying.follows.replay(recording)
    // snippet.end
    try await ask(replaying)
    await replaying.finish()
  }

  private func ask(_ gateway: FakeRecords) async throws {
    #expect(try await gateway.fetch("a") == [Record(name: "apple")])
    await #expect(throws: Refused.self) { try await gateway.fetch("b") }
    try await gateway.remove("kiwi", at: 1)
    var followed: [Record] = []
    for try await record in gateway.follow("all") { followed.append(record) }
    #expect(followed == [Record(name: "melon")])
  }

  @Test("The same fake bears a load")
  func load() async {
    let requests = 1_000
    // snippet.load-benchmarks
    let gateway = FakeRecords()
    gateway.keepLog(.none)
    gateway.fetches.always { query in [Record(name: query)] }
    let store = Store(initial: .init(), interactor: Records(gateway: gateway))
    for number in 0..<requests { _ = await store.send(.search("\(number)")).outcome }
    // snippet.end
    #expect(gateway.fetches.callCount == requests && gateway.fetches.calls.isEmpty)
    #expect(await store.state.records == [Record(name: "999")])
    await gateway.finish()
  }

  @Test("Methods that cannot throw, or throw their own type alone")
  func ownErrors() async {
    let shelf = FakeGatewaySnippets.FakeShelf()
    shelf.counts.fail(Offline())
    shelf.loads.fail(Offline())
    #expect(await shelf.count() == 0)
    await #expect(throws: Refused.self) { try await shelf.load("a") }
    await shelf.finish()
  }

  @Test("An actor lists its fakes")
  func actors() async throws {
    let archive = FakeGatewaySnippets.FakeArchive()
    archive.loads.always(Record(name: "apple"))
    #expect(try await archive.loads("a") == Record(name: "apple"))
    #expect(archive.fakes.count == 1)
    await archive.finish()
  }

  @Test("The failures are those of the page, word for word")
  func failures() async throws {
    let failures = Failures()
    let gateway = failures.collect { FakeRecords() }
    let held = gateway.fetches.hold()
    let task = Task { try await gateway.fetch("a") }
    try await held.arrived()
    gateway.fetches.reply([])
    await gateway.finish()
    _ = await task.result
    _ = try? await gateway.fetch("b")
    failures.collect { FakeRecords().fetches.reply([]) }
    let words = failures.messages.map(Self.inOneLine)
    #expect(words.count == 4)
    let page = Self.inOneLine(try Self.page())
    for words in words { #expect(page.contains(words), "The page has other words than: \(words)") }
  }

  private static func page() throws -> String {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: package.appending(path: "docs/testing-with-fake-gateways.md"), encoding: .utf8)
  }

  private static func inOneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test("A fake may have the line of the test that made it")
  func place() {
    #expect(FakeGatewaySnippets.FakePages().fetches.name == "fetch")
  }
}
