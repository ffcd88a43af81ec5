import MillraceJournal

/// The place of a journal, which can be opened again and again.
protocol JournalFixture: Sendable {
  func open(largestBatch: Int) async throws(JournalError) -> any PartitionedJournal

  /// Ends the use of a journal, and opens it again.
  func reopen(_ journal: any PartitionedJournal) async throws(JournalError) -> any PartitionedJournal
}

extension JournalFixture {
  func open() async throws(JournalError) -> any PartitionedJournal { try await open(largestBatch: 1 << 20) }
}

/// The place of a journal on a disk.
protocol StoredJournalFixture: JournalFixture {
  /// Flips a bit of a payload; the journal is closed.
  func damage(_ payload: String) async throws
}

extension StoredJournalFixture {
  func reopen(_ journal: any PartitionedJournal) async throws(JournalError) -> any PartitionedJournal {
    await journal.close()
    return try await open()
  }
}

/// A journal in memory, which outlives its uses.
struct MemoryFixture: JournalFixture {
  func open(largestBatch: Int) async throws(JournalError) -> any PartitionedJournal {
    MemoryJournal(largestBatch: largestBatch)
  }

  func reopen(_ journal: any PartitionedJournal) async throws(JournalError) -> any PartitionedJournal { journal }
}

extension [UInt8] {
  /// Flips a bit in the middle of a text, also in copies of it that no reader sees.
  mutating func flipBit(of text: String) {
    let bytes = Array(text.utf8)
    for place in indices where self[place...].starts(with: bytes) { self[place + bytes.count / 2] ^= 4 }
  }
}

extension JournalBatch {
  /// A batch of emits with these payloads.
  init(_ number: UInt64, _ payloads: [String], writer: UInt64 = 1) {
    self.init(
      id: ID(writer: writer, number: number),
      entries: payloads.map { JournalEntry(kind: .emit, payload: Array($0.utf8)) })
  }

  init(_ number: UInt64, _ payloads: String...) {
    self.init(number, payloads)
  }

  static func epoch(_ epoch: JournalEpoch, writer: UInt64) -> JournalBatch {
    JournalBatch(id: ID(writer: writer, number: 0), entries: [.epoch(epoch)])
  }
}

extension JournalRecord {
  var text: String { String(decoding: entry.payload, as: UTF8.self) }
}

extension Journal {
  /// All records of a key behind a sequence, in pages of a few bytes.
  func all(_ key: JournalKey, after start: JournalSequence = .start) async throws(JournalError) -> [JournalRecord] {
    var (all, position): ([JournalRecord], JournalSequence) = ([], start)
    while true {
      let page = try await records(of: key, after: position, upTo: 8)
      guard let end = page.records.last else { return all }
      all += page.records
      position = end.sequence
    }
  }

  func texts(_ key: JournalKey, after start: JournalSequence = .start) async throws(JournalError) -> [String] {
    try await all(key, after: start).map(\.text)
  }
}
