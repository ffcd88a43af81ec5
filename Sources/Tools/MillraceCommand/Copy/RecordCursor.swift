import MillraceJournal

/// Reads the records of a key one by one.
struct RecordCursor {
  private let journal: any Journal
  private let key: JournalKey
  private var position: JournalSequence
  private var page: ArraySlice<JournalRecord> = []

  /// - Parameter position: the sequence before the first record.
  init(_ key: JournalKey, in journal: any Journal, after position: JournalSequence) {
    (self.key, self.journal, self.position) = (key, journal, position)
  }

  /// Reads the next record; nil behind the last one.
  mutating func next() async throws(JournalError) -> JournalRecord? {
    if page.isEmpty { page = try await journal.records(of: key, after: position).records[...] }
    guard let record = page.popFirst() else { return nil }
    position = record.sequence
    return record
  }
}

extension JournalRecord {
  /// The wall time that a copy has: a record of version 1 of the format has none, and is older than any time.
  var copiedTime: Int64 { time ?? 0 }

  /// Whether another record is a copy; its position and its checksum are those of its own journal.
  func isCopied(by other: JournalRecord) -> Bool {
    sequence == other.sequence && batch == other.batch && entry == other.entry && copiedTime == other.copiedTime
  }
}

extension Journal {
  /// Reads the last record of a key that was removed; `start` if none was.
  func lastRemoved(of key: JournalKey) async throws(JournalError) -> JournalSequence {
    do {
      _ = try await records(of: key, after: .start, upTo: 1)
      return .start
    } catch {
      guard error.code == .truncated, let removed = error.sequence else { throw error }
      return removed
    }
  }
}
