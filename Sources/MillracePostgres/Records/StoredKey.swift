#if Postgres
  import MillraceJournal

  /// The row of a key, or the rest of an erased one, or neither.
  struct StoredKey {
    /// The newest snapshot, without its payload.
    struct Snapshot {
      let sequence: JournalSequence
      /// The number of the snapshot's parts, and the id that they have.
      let parts: Int
      let revision: Int
      let version: Int
      let checksum: UInt64
    }

    let key: JournalKey
    /// The end of the log.
    private(set) var last = JournalSequence.start
    /// The last record that was removed.
    private(set) var truncated = JournalSequence.start
    /// The newest entry of the kind `epoch`; `start` and no bytes if there is none.
    private var epochSequence = JournalSequence.start
    private var epoch: [UInt8] = []
    private(set) var wake: Int64?
    private(set) var snapshot: Snapshot?
    /// Whether the key has a row.
    private(set) var isStored = false
    /// The end of the log of a key that was erased and has had no record since.
    private(set) var erased: JournalSequence?

    static let columns = """
      last, truncated, epoch_sequence, epoch, wake, snapshot_sequence, snapshot_parts, snapshot_revision, snapshot_version, \
      snapshot_checksum
      """

    /// The number of these columns.
    static let count = 10

    /// Reads a row of these columns, and one with the last sequence of an erased key; each result has one row or none.
    init(_ key: JournalKey, _ row: PostgresResult, erased: PostgresResult) {
      self.init(key, row, row.rows.isEmpty ? nil : 0, from: 0, erased: erased.rows.isEmpty ? nil : erased.bits(0, 0))
    }

    /// Reads a row of these columns.
    ///
    /// - Parameters:
    ///   - number: the number of the row; nil if the key has none.
    ///   - column: the first of the columns.
    ///   - erased: the last sequence of an erased key.
    init(_ key: JournalKey, _ row: PostgresResult, _ number: Int?, from column: Int, erased: UInt64?) {
      self.key = key
      guard let number else {
        if let erased {
          last = JournalSequence(erased)
          (truncated, self.erased) = (last, last)
          snapshot = Snapshot(sequence: last, parts: 0, revision: 0, version: 1, checksum: 0)
        }
        return
      }
      isStored = true
      last = JournalSequence(row.bits(number, column))
      truncated = JournalSequence(row.bits(number, column + 1))
      epochSequence = JournalSequence(row.bits(number, column + 2))
      epoch = row.bytes(number, column + 3)
      wake = row.optional(number, column + 4)
      if !row.isNull(number, column + 5) {
        snapshot = Snapshot(
          sequence: JournalSequence(row.bits(number, column + 5)), parts: Int(row.number(number, column + 6)),
          revision: Int(row.number(number, column + 7)), version: Int(row.number(number, column + 8)),
          checksum: row.bits(number, column + 9))
      }
    }

    /// The error of an append that expects a record of its own writer at the end.
    var otherRecord: JournalError {
      let newcomer = try? JournalEpoch(payload: epoch, of: key, at: epochSequence)
      return JournalError(
        .lost, sequence: last, newcomer: newcomer,
        """
        The log of \(key.quoted) has another record at \(last) than the one that was stored there\(newcomer.map { ", by \($0)" } ?? ""), so that record is lost; check \
        whether the database was restored from an older copy, and open the store again to continue from there.
        """)
    }

    /// The error of an append that expects another end.
    func conflict(expected: JournalSequence) -> JournalError {
      do {
        let newcomer = epochSequence > expected ? try JournalEpoch(payload: epoch, of: key, at: epochSequence) : nil
        return .conflict(key, expected: expected, last: last, newcomer: newcomer, erased: erased)
      } catch {
        return error
      }
    }
  }
#endif
