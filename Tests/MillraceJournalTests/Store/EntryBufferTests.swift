import Millrace
import Testing

@testable import MillraceJournal

@Suite("The buffer of entries that wait to be stored")
struct EntryBufferTests {
  /// A buffer behind the sequence 7 that takes three entries of 100 bytes.
  private var buffer = EntryBuffer(
    after: 7, keys: IdempotencyTable(JournalOptions()), growth: LogGrowth(),
    limits: EntryBuffer.Limits(writer: 5, largestBatch: 150, byteCount: 300))

  /// An entry of 100 bytes, 64 of them for the record.
  private func entry(_ size: Int = 36) -> JournalEntry {
    JournalEntry(kind: .emit, payload: [UInt8](repeating: 0, count: size))
  }

  /// The code of the error with which the buffer refuses an entry; nil if it takes it.
  private func refusal(_ entry: JournalEntry) -> JournalError.Code? {
    var copy = buffer
    do throws(JournalError) { _ = try copy.add(entry, revision: 1) } catch { return error.code }
    return nil
  }

  @Test("Entries get the next sequences, positions and numbers of batches, and leave in their order")
  mutating func order() throws {
    let sequences = [try buffer.add(entry(), revision: 3), try buffer.add(entry(), revision: 3)]
    #expect(sequences == [8, 9])
    #expect(buffer.items.map(\.position) == [2, 3] && buffer.position == 3)
    #expect(buffer.items.map(\.batch.id) == [.init(writer: 5, number: 1), .init(writer: 5, number: 2)])
    #expect(buffer.stored == 7 && buffer.last == 9 && buffer.growth.records == 2)
    _ = buffer.didStore(buffer.items.prefix(1))
    #expect(buffer.stored == 8 && buffer.items.map(\.position) == [3] && buffer.byteCount == 100)
  }

  @Test("The buffer is crowded from half of its bytes on, and says once that it is no more")
  mutating func crowded() throws {
    _ = try buffer.add(entry(), revision: 1)
    #expect(!buffer.isCrowded)
    for _ in 0..<2 { _ = try buffer.add(entry(), revision: 1) }
    #expect(buffer.isCrowded)
    let relieved = (0..<3).map { _ in buffer.didStore(buffer.items.prefix(1)) }
    #expect(relieved == [false, true, false], "200, 100 and 0 of 300 bytes wait")
  }

  @Test("An entry without room, one that is too large, and one after a failure are refused")
  mutating func refused() throws {
    for _ in 0..<3 { _ = try buffer.add(entry(), revision: 1) }
    let sequence = try buffer.add(entry(0), revision: 1)
    #expect(sequence == nil)
    #expect(refusal(entry(87)) == .tooLarge)
    buffer.failure = .notFlushed("a", 3, within: .seconds(1))
    _ = buffer.didStore(buffer.items.prefix(1))
    #expect(refusal(entry()) == .unknown)
    #expect(buffer.last == 10 && buffer.items.count == 2 && buffer.growth.records == 3)
  }
}
