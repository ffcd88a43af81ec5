import Foundation
import Millrace
import MillraceJournal
import MillraceRecording
import MillraceTesting
import Testing

@testable import MillraceCommand

@Suite("The types behind a journal's commands", .timeLimit(.minutes(1)))
struct JournalTypesTests {
  private let journal = MemoryJournal()

  private func types(
    schema: StoreSchema<Charges> = StoreSchema(), options: JournalOptions = JournalOptions()
  ) -> ServiceJournal<Charges> {
    ServiceJournal(initial: ["initial"], schema: schema, options: options)
  }

  /// The state as one line, its record and its revision.
  private func state(
    at sequence: JournalSequence? = nil, of key: JournalKey = "orders", _ types: ServiceJournal<Charges>? = nil
  ) async throws -> String {
    guard
      case .state(let json, let sequence, let revision) = try await (types ?? self.types()).state(
        of: key, in: journal, at: sequence, { _ in })
    else { return "refused" }
    return "\(json.filter { !$0.isWhitespace }) at \(sequence), revision \(revision)"
  }

  /// Sends texts to a store, whose first record is an epoch.
  private func note(_ texts: String...) async throws {
    let store = try await Charges.open(journal, key: "orders")
    for text in texts { #expect(await store.send(.note(text)).outcome.kind == .finished) }
    await store.shutdown()
  }

  /// Stores a snapshot of the state `["s"]` at revision 9.
  private func storeSnapshot(at sequence: JournalSequence) async throws {
    let text = #"{"epoch":{"host":"h","process":1,"time":0},"keys":[],"runs":[],"state":["s"]}"#
    try await journal.store(JournalSnapshot(sequence: sequence, revision: 9, payload: Array(text.utf8)), of: "orders")
  }

  @Test("The state at a record is the initial one with the mutations up to there, and without a record that at the end")
  func states() async throws {
    try await note("a", "b", "c")
    #expect(try await state(at: 0) == #"["initial"] at 0, revision 0"#)
    #expect(try await state(at: 1) == #"["initial"] at 1, revision 0"#)
    #expect(try await state(at: 3) == #"["initial","a","b"] at 3, revision 2"#)
    #expect(try await state() == #"["initial","a","b","c"] at 4, revision 3"#)
  }

  @Test("The state before a snapshot is that of the records, as long as these are there")
  func beforeSnapshot() async throws {
    try await note("a", "b")
    try await storeSnapshot(at: 2)
    #expect(try await state(at: 1) == #"["initial"] at 1, revision 0"#)
    #expect(try await state(at: 2) == #"["s"] at 2, revision 9"#)
  }

  @Test("A state whose records were removed names the oldest one that is there")
  func removed() async throws {
    try await note("a", "b")
    try await storeSnapshot(at: 2)
    try await journal.truncate("orders", through: 1)
    let error = await #expect(throws: JournalError.self) { try await state(at: 1) }
    #expect(error?.code == .truncated && error?.sequence == 2)
    #expect(
      error?.description == """
        The records of "orders" that lead to the state at 1 were removed, because a snapshot at 2 covers them; name 2 or a later record.
        """)
    #expect(try await state(at: 2) == #"["s"] at 2, revision 9"#)
  }

  @Test("A record behind the end of the log has no state")
  func behindTheEnd() async throws {
    try await note("a")
    let error = await #expect(throws: JournalError.self) { try await state(at: 3) }
    #expect(error?.code == .ahead && error?.sequence == 2)
    #expect(
      error?.description
        == "The log of \"orders\" ends at 2, so it has no state at 3; name a record up to 2.")
  }

  @Test("A log of more than one page is read up to the record")
  func pages() async throws {
    let store = try await Charges.open(journal, key: "orders")
    let text = String(repeating: "x", count: 400_000)
    for number in 1...5 { #expect(await store.send(.note("\(number)\(text)")).outcome.kind == .finished) }
    await store.shutdown()
    #expect(try await state(at: 2).hasSuffix("x\"] at 2, revision 1"))
    #expect(try await state(at: 5).hasSuffix("x\"] at 5, revision 4"))
  }

  @Test("Mutations of an earlier version go through the schema")
  func schema() async throws {
    let entry = JournalEntry(kind: .decided, payload: Array(#"{"head":{},"mutations":[7]}"#.utf8), revision: 1)
    #expect(await journal.append([JournalBatch(1, [entry])], to: "orders", after: .start).stored == 1)
    let schema = StoreSchema<Charges>(version: 2).upcasting(from: 1) { (old: Int) in "number \(old)" }
    #expect(try await state(types(schema: schema)) == #"["initial","number7"] at 1, revision 1"#)
    await #expect(throws: JournalError.self) { try await state() }
  }

  private func state(_ types: ServiceJournal<Charges>) async throws -> String {
    try await state(at: nil, of: "orders", types)
  }

  @Test("Open runs and states of another coder are read by the coder of the service")
  func coder() async throws {
    var options = JournalOptions()
    options.coder = ReversedCoder()
    let gate = Gate()
    let interactor = Charges { _, _ in try await gate.enter() }
    let store = try await Store.open(
      initial: ["initial"], interactor: interactor, journal: journal, key: "orders", options: options)
    #expect(await store.send(.note("a")).outcome.kind == .finished)
    store.send(.charge(order: 1), key: "b")
    try await gate.waitForArrivals(1)
    #expect(try await types(options: options).openRuns(of: "orders", in: journal) { _ in }.map(\.key) == ["b"])
    #expect(try await state(types(options: options)) == #"["initial","a"] at 3, revision 1"#)
    gate.open()
    await store.shutdown()
  }

  /// Leaves the records of a note and of a run with two steps, of which one has failed.
  private func leaveRun() async throws {
    struct NoVan: Error, CustomStringConvertible { let description = "no van" }
    let store = try await Charges.open(journal, key: "orders") { run, order in
      try await run.step("ask", commit: { (_: Int) in ["asked"] }) { _ in 7 }
      _ = try? await run.step("ship") { _ in throw NoVan() }
      run.emit("order \(order)")
    }
    #expect(await store.send(.note("a")).outcome.kind == .finished)
    #expect(await store.send(.charge(order: 5)).outcome.kind == .finished)
    await store.shutdown()
  }

  private func export(_ redaction: Redaction<Charges>? = nil) async throws -> Recording<Charges> {
    var types = types()
    types.redaction = redaction
    guard case .lines(let lines) = try await types.export("orders", from: journal, { _ in }) else {
      throw CancellationError()
    }
    return try Recording.read(from: lines)
  }

  @Test("A recording of a log has its actions, commits, steps and ends, and is replayed to the same state")
  func recording() async throws {
    try await leaveRun()
    let recording = try await export()
    let report = try recording.replay()
    #expect(report.verdict == .same)
    #expect(recording.start.state == ["initial"] && recording.header.began == Charges.time)
    let lines = recording.entries.map { entry in
      switch entry {
      case .action(let action): "\(action.run) \(action.action)"
      case .commit(let commit): "\(commit.run) \(commit.revision) \(commit.mutation)"
      case .step(let step): "\(step.run) \(step.name) \(step.result)"
      case .end(let end): "\(end.run) \(end.outcome)"
      case .state(let state): "\(state.revision) \(state.state)"
      default: "other"
      }
    }
    #expect(
      lines == [
        "#2@1 1 a", "#3@1 charge(order: 5)", #"#3@1 ask value("7")"#, "#3@1 2 asked",
        #"#3@1 ship failure("\"no van\"")"#,
        "#3@1 3 order 5", "#3@1 finished", #"3 ["initial", "a", "asked", "order 5"]"#,
      ])
  }

  @Test(
    "A recording of a log whose first records were removed begins with its snapshot, and else with the initial state")
  func recordingBehindSnapshot() async throws {
    try await note("a", "b")
    try await storeSnapshot(at: 3)
    #expect(try await export().start.state == ["initial"])
    try await journal.truncate("orders", through: 3)
    let next = JournalEntry(.decided, #"{"head":{},"mutations":["c"]}"#, revision: 10)
    #expect(await journal.append([JournalBatch(9, [next])], to: "orders", after: 3).stored == 1)
    let recording = try await export()
    #expect(recording.start.state == ["s"] && recording.start.revision == 9)
    #expect(recording.entries.count == 2, "a commit, and the state at the end")
    #expect(try recording.replay().verdict == .same)
  }

  @Test("A recording is redacted, and has no results of steps then")
  func redacted() async throws {
    try await leaveRun()
    let hidden: @Sendable (String) -> String = { _ in "x" }
    let redaction = Redaction<Charges>(
      action: { _ in .charge(order: 0) }, mutation: hidden, state: { $0.map { $0 == "initial" ? $0 : "x" } })
    let recording = try await export(redaction)
    #expect(recording.header.isRedacted)
    #expect(try recording.replay().verdict == .same)
    let text = String(decoding: try recording.jsonLines(), as: UTF8.self)
    for secret in ["order 5", "no van", "asked", #""7""#] { #expect(!text.contains(secret), "\(secret)") }
  }

  @Test("Without types no state is made, and the sentence has the three lines of a service's own command")
  func untyped() async throws {
    guard
      case .refused(let failure) = UntypedJournal(command: "millrace journal").state(
        of: "a", in: journal, at: nil, { _ in })
    else {
      Issue.record("There is no state without types.")
      return
    }
    #expect(failure.code == 64)
    #expect(
      failure.sentence.hasPrefix("millrace journal state needs the reducer of the service, which no other program has;")
    )
    #expect(
      failure.sentence.hasSuffix(
        "\n\n  import MillraceCommand\n  import Shop\n  await MillraceCommand.main(Shop.self, initial: Shop.State())"))
  }
}

/// Writes JSON from its end to its beginning.
private struct ReversedCoder: JournalCoder {
  func encode(_ value: some Encodable) throws -> Data { Data(try JSONJournalCoder().encode(value).reversed()) }

  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try JSONJournalCoder().decode(type, from: Data(data.reversed()))
  }
}
