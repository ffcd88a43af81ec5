import Millrace
import Testing

@testable import MillraceJournal

@Suite("The buffer of entries that wait to be stored")
struct EntryBufferTests {
  /// A buffer behind the sequence 7 that takes two entries of 100 bytes as admitted, and one more that is emitted.
  private var buffer = EntryBuffer(
    after: 7, keys: IdempotencyTable(JournalOptions()), growth: LogGrowth(),
    limits: EntryBuffer.Limits(writer: 5, largestBatch: 250, byteCount: 400))

  /// An entry of 100 bytes, 64 of them for the record.
  private func entry(_ size: Int = 36) -> JournalEntry {
    JournalEntry(kind: .emit, payload: [UInt8](repeating: 0, count: size))
  }

  /// The code of the error with which the buffer refuses an entry; nil if it takes it.
  private func refusal(_ entry: JournalEntry) -> JournalError.Code? {
    var copy = buffer
    do throws(JournalError) { _ = try copy.add(entry, in: .unlimited, revision: 1, at: 0) } catch { return error.code }
    return nil
  }

  @Test("Entries get the next sequences, positions and numbers of batches, and leave in their order")
  mutating func order() throws {
    let sequences = [
      try buffer.add(entry(), in: .admission, revision: 3, at: 0),
      try buffer.add(entry(), in: .admission, revision: 3, at: 0),
    ]
    #expect(sequences == [8, 9])
    #expect(buffer.items.map(\.position) == [2, 3] && buffer.position == 3)
    #expect(buffer.items.map(\.batch.id.number) == [1, 2])
    #expect(buffer.persisted == 7 && buffer.last == 9 && buffer.growth.records == 2)
    buffer.didPersist(buffer.items.prefix(1), at: 0)
    #expect(buffer.persisted == 8 && buffer.items.map(\.position) == [3] && buffer.byteCount == 100)
  }

  @Test("K4: Entries of a key whose state asks for a wake time are ready behind their commits, and bring that time")
  mutating func wakeTimes() throws {
    #expect(buffer.ready.count == 0)
    _ = try buffer.add(entry(0), in: .unlimited, revision: 1, at: 0)
    #expect(buffer.ready.count == 1, "no state asks for a wake time")
    var buffer = EntryBuffer(
      after: 7, keys: IdempotencyTable(JournalOptions()), growth: LogGrowth(),
      limits: EntryBuffer.Limits(writer: 5, largestBatch: 250, byteCount: 10_000), wake: KeyWake(asked: 5, stored: 5))
    func add(_ wake: JournalWake = .keep) throws {
      _ = try buffer.add(entry(), in: .unlimited, revision: 1, at: 0, wake: wake)
    }
    try add()
    buffer.ask(5, hasOpenRuns: false)
    try add()
    buffer.ask(9, hasOpenRuns: false)
    buffer.ask(8, hasOpenRuns: false)
    #expect(buffer.ready.isEmpty)
    buffer.makeReady()
    #expect(buffer.ready.count == 2)
    try add(.now)
    buffer.ask(3, hasOpenRuns: true)
    try add()
    buffer.ask(nil, hasOpenRuns: false)
    #expect(buffer.items.map(\.batch.wake) == [.keep, .at(8), .now, .never])
    #expect(buffer.hasStored(nil) && !buffer.hasStored(3))
    buffer.didPersist(buffer.items.prefix(1), at: 0)
    #expect(buffer.ready.map(\.batch.wake) == [.at(8)])
    buffer.ask(4, hasOpenRuns: true)
    try add(.now)
    #expect(buffer.hasStored(0))
  }

  @Test("K5: The epoch comes before the first entry that has room, with the position of the restored state")
  mutating func epoch() throws {
    buffer = EntryBuffer(
      after: 7, keys: IdempotencyTable(JournalOptions()), growth: LogGrowth(),
      limits: EntryBuffer.Limits(writer: 5, largestBatch: 250, byteCount: 400),
      epoch: (JournalEntry(kind: .epoch, payload: [1]), 4))
    #expect(refusal(entry(200)) == .tooLarge && buffer.items.isEmpty)
    let sequences = [
      try buffer.add(entry(), in: .admission, revision: 5, at: 3, wake: .now),
      try buffer.add(entry(), in: .unlimited, revision: 6, at: 4),
    ]
    #expect(sequences == [9, 10] && buffer.persisted == 7)
    #expect(buffer.items.map(\.position) == [1, 2, 3] && buffer.items.map(\.revision) == [4, 5, 6])
    #expect(buffer.items.map(\.batch.id.number) == [1, 2, 3] && buffer.items.map(\.batch.time) == [3, 3, 4])
    #expect(buffer.items.map(\.batch.wake) == [.keep, .now, .keep])
    #expect(buffer.items.map { $0.batch.entries.map(\.kind) } == [[.epoch], [.emit], [.emit]])
    #expect(buffer.byteCount == 65 + 200)
  }

  @Test("The buffer is crowded from half of its bytes on")
  mutating func crowded() throws {
    _ = try buffer.add(entry(), in: .admission, revision: 1, at: 0)
    #expect(!buffer.isCrowded, "100 of 400 bytes wait")
    _ = try buffer.add(entry(35), in: .admission, revision: 1, at: 0)
    #expect(!buffer.isCrowded, "199 bytes")
    _ = try buffer.add(entry(0), in: .emits, revision: 1, at: 0)
    #expect(buffer.isCrowded)
    buffer.didPersist(buffer.items.prefix(1), at: 0)
    #expect(!buffer.isCrowded, "163 bytes")
  }

  @Test(
    "An admitted entry may fill half of the buffer, and an emitted one three quarters",
    arguments: [(JournalRoom.admission, 200), (.emits, 300)])
  mutating func room(room: JournalRoom, limit: Int) throws {
    for _ in 0..<limit / 100 - 1 { _ = try buffer.add(entry(), in: room, revision: 1, at: 0) }
    for size in 99...101 {
      var copy = buffer
      let sequence = try copy.add(entry(size - 64), in: room, revision: 1, at: 0)
      #expect((sequence != nil) == (size <= 100), "\(limit - 100 + size) of 400 bytes would wait")
    }
  }

  @Test("An end has room however much waits, but no entry may be larger than half of the buffer")
  mutating func unlimited() throws {
    for _ in 0..<20 { _ = try #require(try buffer.add(entry(), in: .unlimited, revision: 1, at: 0)) }
    #expect(refusal(entry(200 - 64)) == nil && refusal(entry(201 - 64)) == .tooLarge)
    for room in [JournalRoom.admission, .emits] {
      let sequence = try buffer.add(entry(0), in: room, revision: 1, at: 0)
      #expect(sequence == nil)
    }
  }

  @Test("An entry that is larger than the journal's largest batch, and each one after a failure, is refused")
  mutating func refused() throws {
    buffer = EntryBuffer(
      after: 7, keys: IdempotencyTable(JournalOptions()), growth: LogGrowth(),
      limits: EntryBuffer.Limits(writer: 5, largestBatch: 150, byteCount: 400))
    _ = try buffer.add(entry(), in: .admission, revision: 1, at: 0)
    #expect(refusal(entry(87)) == .tooLarge && refusal(entry(86)) == nil)
    buffer.failure = .notFlushed("a", 3, within: .seconds(1))
    #expect(refusal(entry()) == .unknown)
    #expect(buffer.last == 8 && buffer.items.count == 1 && buffer.growth.records == 1)
  }
}
