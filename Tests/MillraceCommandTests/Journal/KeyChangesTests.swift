import Millrace
import MillraceJournal
import MillraceTesting
import Testing

@testable import MillraceCommand

@Suite("Changes of a journal", .timeLimit(.minutes(1)))
struct KeyChangesTests {
  private let journal = MemoryJournal()
  private let gate = Gate()

  private var changes: KeyChanges<UntypedJournal> {
    KeyChanges(
      journal: journal, types: UntypedJournal(command: "millrace journal"), command: "millrace journal",
      place: "'shop.journal'")
  }

  private func openStore(_ handled: Recorder<Int> = Recorder()) async throws -> Store<Charges> {
    try await Charges.open(journal, key: "orders") { [gate] _, order in
      handled.record(order)
      try await gate.enter()
    }
  }

  @Test("A run that was abandoned is not handled again, and the others are")
  func abandon() async throws {
    let first = try await openStore()
    first.send(.charge(order: 1))
    first.send(.charge(order: 2))
    try await gate.waitForArrivals(2)
    let runs = try await StoredLog(untyped: "orders", in: journal).openRuns()
    // The actions are taken up in any order.
    let (other, order) = (try #require(runs.first), try #require(runs.last))
    let sentence = try await changes.abandon(order.record, of: "orders", at: 5)
    #expect(sentence == "The run \(order.record) of 'orders' is abandoned, by record 5.")
    let added = try await journal.records(of: "orders", after: 3).records
    // The command takes the log over, so the store that still runs conflicts.
    #expect(added.map(\.entry.kind) == [.epoch, .end])
    let end = try #require(added.last)
    #expect(end.entry.kind == .end && end.time == 5 && end.entry.revision == nil)
    #expect(
      String(decoding: end.entry.payload, as: UTF8.self)
        == #"{"head":{"outcome":"abandoned","run":\#(order.record)},"mutations":[]}"#)
    let handled = Recorder<Int>()
    let second = try await openStore(handled)
    try await gate.waitForArrivals(3)
    let isFirst = String(decoding: other.payload, as: UTF8.self).contains(#""order":1"#)
    #expect(handled.recorded == [isFirst ? 1 : 2])
    gate.open()
    for store in [first, second] { await store.shutdown() }
  }

  @Test("The end of an abandoned run has the newest version of the log, so that its program decodes it")
  func version() async throws {
    let takeUp = #"{"head":{"action":1,"handlesAgain":true,"isSendersKey":false,"key":"k"},"mutations":[]}"#
    let entries = [
      JournalEntry(kind: .takeUp, payload: Array(takeUp.utf8), schemaVersion: 1),
      JournalEntry(kind: .decided, payload: Array(#"{"head":{},"mutations":[]}"#.utf8), schemaVersion: 3),
      JournalEntry(kind: .mark, payload: []),
    ]
    #expect(await journal.append([JournalBatch(1, entries)], to: "orders", after: .start).stored == 1)
    _ = try await changes.abandon(1, of: "orders", at: 5)
    #expect(try await journal.records(of: "orders", after: 3).records.last?.entry.schemaVersion == 3)
    #expect(try await StoredLog(untyped: "orders", in: journal).openRuns().isEmpty)
  }

  @Test("A run of one of many stores is abandoned by a claim of its partition")
  func partition() async throws {
    let key = JournalKey("a", of: "orders")
    let claim = try await journal.claim(JournalPartition(of: "orders", number: 0), as: .now())
    let takeUp = #"{"head":{"action":1,"handlesAgain":true,"isSendersKey":false,"key":"k"},"mutations":[]}"#
    let part = JournalKeyAppend([JournalBatch(1, [JournalEntry(.takeUp, takeUp)], wake: .now)], to: key, after: .start)
    #expect(await journal.append([part], claim: claim).map(\.stored) == [1])
    #expect(try await changes.abandon(1, of: key, at: 5) == "The run 1 of 'a' is abandoned, by record 2.")
    #expect(
      await journal.append([part], claim: claim).map(\.failure?.code) == [.conflict], "the claim before is fenced")
    #expect(try await changes.erase(key) == "The key 'a' is erased.")
    #expect(try await journal.keys(of: "orders", prefix: "", after: nil) == [])
  }

  @Test("A run that is not open, and a key that is not there, change nothing")
  func refused() async throws {
    await journal.add("1", to: "orders")
    let emit = JournalEntry(.emit, #"{"head":{"run":1},"mutations":[]}"#)
    #expect(await journal.append([JournalBatch(2, [emit])], to: "carts", after: .start).stored == 1)
    let run = await #expect(throws: CommandFailure.self) { try await changes.abandon(1, of: "carts", at: 5) }
    #expect(
      run
        == CommandFailure(
          "'carts' has no open run 1; millrace journal runs lists those it has, by the records of their take-ups.",
          code: 65))
    let key = await #expect(throws: CommandFailure.self) { try await changes.erase("x") }
    #expect(key?.sentence.hasPrefix("'shop.journal' has no key 'x'; ") == true)
    await #expect(throws: CommandFailure.self) { try await changes.abandon(1, of: "x", at: 5) }
    #expect(try await journal.lastSequence(of: "carts") == 1)
    #expect(try await journal.keys(after: nil) == ["carts", "orders"])
  }

  @Test("A key that is erased begins anew")
  func erase() async throws {
    await journal.add("1", "2", to: "orders")
    #expect(try await changes.erase("orders") == "The key 'orders' is erased.")
    #expect(try await journal.keys(after: nil) == [])
    let store = try await openStore()
    #expect(await store.state == [])
    await store.shutdown()
  }
}
