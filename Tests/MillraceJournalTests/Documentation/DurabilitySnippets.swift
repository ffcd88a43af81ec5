import Millrace
import MillraceJournal
import MillraceTesting
import Testing

/// The snippets of docs/durability.md, as they stand there.
@Suite("DurabilitySnippets")
struct DurabilitySnippets {
  @Test("A store that is opened again has what was acknowledged")
  func store() async throws {
    let journal = MemoryJournal()
    // snippet.store
    let first = try await Store.open(initial: [], interactor: Orders(), journal: journal, key: "orders")
    let outcome = await first.send(.note(1)).outcome  // Once this returns, the note survives a crash.

    let second = try await Store.open(initial: [], interactor: Orders(), journal: journal, key: "orders")
    let restored = await second.state  // The fold of all mutations in the log.
    // snippet.end
    #expect(outcome.kind == .finished && restored == ["note 1"])
  }

  // snippet.write
  /// Appends a batch again until the journal knows whether it is stored.
  static func store(
    _ batch: JournalBatch, in journal: any Journal, of key: JournalKey, after last: JournalSequence,
    retry: () async throws -> Void
  ) async throws -> JournalSequence {
    while true {
      let result = await journal.append([batch], to: key, after: last)
      guard let failure = result.failure else { return result.last }
      // A conflict names the newcomer, and this writer stops.
      guard failure.isTransient else { throw failure }
      try await retry()
      if failure.code == .unknown, let stored = try await journal.batch(batch.id, of: key, after: last)?.last {
        return stored.sequence
      }
    }
  }
  // snippet.end

  // snippet.takeOver
  /// Takes a log over, and reads it to its end.
  static func open(
    _ key: JournalKey, in journal: any Journal, writer: UInt64
  ) async throws -> (records: [JournalRecord], last: JournalSequence) {
    let epoch = JournalBatch(id: JournalBatch.ID(writer: writer, number: 0), entries: [.epoch(.now())])
    let last = try await store(epoch, in: journal, of: key, after: journal.lastSequence(of: key), retry: {})
    var (records, position) = ([JournalRecord](), try await journal.snapshot(of: key)?.sequence ?? .start)
    while position < last {
      let page = try await journal.records(of: key, after: position)
      records += page.records
      // The progress is position.number of page.last.number.
      position = page.records.last?.sequence ?? last
    }
    return (records, last)
  }
  // snippet.end

  @Test("A log that is taken over is read to its end, and its earlier writer stops")
  func takeOver() async throws {
    let journal = MemoryJournal()
    let first = try await Self.open("pulse", in: journal, writer: 1)
    #expect(first.records.map(\.entry.kind) == [.epoch] && first.last == 1)
    let batch = JournalBatch(
      id: JournalBatch.ID(writer: 1, number: 1), entries: [JournalEntry(kind: .emit, payload: [1])])
    let last = try await Self.store(batch, in: journal, of: "pulse", after: first.last, retry: {})
    let second = try await Self.open("pulse", in: journal, writer: 2)
    #expect(second.records.map(\.entry.kind) == [.epoch, .emit, .epoch] && second.last == 3)
    let error = try await failure { _ = try await Self.store(batch, in: journal, of: "pulse", after: last, retry: {}) }
    #expect(error.code == .conflict && error.newcomer?.process == JournalEpoch.now().process)
  }

  @Test("A batch whose result is unknown is stored once", arguments: [[], [true], [false], [false, false, true]])
  func unknown(arrives: [Bool]) async throws {
    let journal = UnsteadyJournal(
      MemoryJournal(), failing: arrives.map { UnsteadyJournal.Failure(code: .unknown, stores: $0) })
    let batch = JournalBatch(
      id: JournalBatch.ID(writer: 1, number: 1), entries: [JournalEntry(kind: .emit, payload: [1])])
    #expect(try await Self.store(batch, in: journal, of: "a", after: .start, retry: {}) == 1)
    #expect(try await journal.records(of: "a", after: .start).records.map(\.batch) == [batch.id])
  }
}
