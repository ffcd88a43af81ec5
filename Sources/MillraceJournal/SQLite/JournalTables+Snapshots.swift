#if SQLite
  import MillraceSQLite

  /// The snapshots of keys.
  ///
  /// A snapshot has at most 1 MiB in its row. What it has before that stands in parts, each of which is stored in a transaction of its own, so
  /// that other appends need not wait for all of it. The row is stored last and makes it the newest snapshot; the parts of the one before
  /// are deleted then.
  extension JournalTables {
    /// The snapshot of a key, and the checksum that it has to have; nil if there is none.
    func snapshot(of key: JournalKey) throws -> (snapshot: JournalSnapshot, checksum: UInt64)? {
      guard let row = try row(of: key), let stored = row.snapshot else { return nil }
      if row.isErased { return (.erased(through: stored.sequence), stored.checksum) }
      var (payload, head): ([UInt8], (sequence: UInt64, revision: Int, version: Int, parts: SQLiteValue?)?) = ([], nil)
      try statements.selectSnapshot.run([SQLiteValue(row.id)]) {
        head = ($0.number(0), $0.int(1), $0.int(2), $0.isNull(3) ? nil : SQLiteValue($0.number(3)))
        payload = $0.bytes(4)
        return false
      }
      guard let head, head.sequence == stored.sequence.number, head.revision >= 0 else {
        throw JournalError.corruptSnapshot(key)
      }
      if let id = head.parts {
        var whole: [UInt8] = []
        try statements.selectParts.run([SQLiteValue(row.id), id]) {
          whole += $0.bytes(1)
          return true
        }
        payload = whole + payload
      }
      let snapshot = JournalSnapshot(
        sequence: stored.sequence, revision: head.revision, payload: payload, schemaVersion: head.version)
      return (snapshot, stored.checksum)
    }

    /// The row of a key whose log has come to a snapshot; nil if the stored snapshot is newer.
    ///
    /// - Throws: ``JournalError`` with the code ``JournalError/Code/ahead`` if the log ends before it.
    private func row(of key: JournalKey, for sequence: JournalSequence) throws -> KeyRow? {
      let found = try row(of: key)
      guard let row = found, sequence <= row.last else {
        throw JournalError.snapshotAhead(key, sequence, last: found?.last ?? .start)
      }
      if row.isErased { return nil }
      return row.snapshot.map { $0.sequence > sequence } ?? false ? nil : row
    }

    /// Stores a part of a snapshot; false if the stored snapshot is newer.
    func store(_ part: SnapshotPart, of key: JournalKey) throws -> Bool {
      guard let row = try row(of: key, for: part.sequence) else { return false }
      try statements.insertPart.run([
        SQLiteValue(row.id), SQLiteValue(part.snapshot), SQLiteValue(part.number), .bytes(part.payload),
      ])
      return true
    }

    /// Stores the row of a snapshot, whose payload is what its parts do not have, and makes it the newest one.
    ///
    /// - Parameters:
    ///   - checksum: That of the whole snapshot.
    ///   - parts: The id and the number of its parts; nil if there are none.
    func store(
      _ snapshot: JournalSnapshot, checksum: UInt64, parts: (id: UInt64, count: Int)?, of key: JournalKey
    ) throws {
      guard var row = try row(of: key, for: snapshot.sequence) else { return }
      if let parts {
        var count = 0
        try statements.countParts.run([SQLiteValue(row.id), SQLiteValue(parts.id)]) {
          count = $0.int(0)
          return false
        }
        // Another writer, which has stored a snapshot meanwhile, deletes those of others.
        guard count == parts.count else {
          throw JournalError(
            .unavailable, "Another process has stored a snapshot of \(key.quoted) meanwhile; repeat the call.")
        }
      }
      try write(snapshot, of: row, parts: parts?.id)
      row.snapshot = (snapshot.sequence, checksum)
      try write(row)
    }

    func write(_ snapshot: JournalSnapshot, of row: KeyRow, parts: UInt64?) throws {
      try statements.insertSnapshot.run([
        SQLiteValue(row.id), SQLiteValue(snapshot.sequence.number), SQLiteValue(snapshot.revision),
        SQLiteValue(snapshot.schemaVersion), .bytes(snapshot.payload), parts.map { SQLiteValue($0) } ?? .null,
      ])
    }

    /// Deletes some of the parts that are not those of the newest snapshot of a key; false if there were none.
    func removeOtherParts(of key: JournalKey) throws -> Bool {
      guard let row = try row(of: key), row.isStored else { return false }
      var id = SQLiteValue.null
      try statements.selectSnapshot.run([SQLiteValue(row.id)]) {
        if !$0.isNull(3) { id = SQLiteValue($0.number(3)) }
        return false
      }
      var found: [Int] = []
      try statements.selectOtherParts.run([SQLiteValue(row.id), id, SQLiteValue(SnapshotPart.removedAtOnce)]) {
        found.append($0.int(0))
        return true
      }
      for part in found { try statements.deletePart.run([SQLiteValue(part)]) }
      return !found.isEmpty
    }
  }

  /// A part of the payload of a large snapshot.
  struct SnapshotPart: Sendable {
    /// The number of parts that are deleted in one transaction.
    static let removedAtOnce = 1

    /// A number that is drawn for each snapshot that is stored.
    let snapshot: UInt64
    /// The last record that the snapshot covers.
    let sequence: JournalSequence
    /// The number of the part, from 0.
    let number: Int
    let payload: [UInt8]
  }
#endif
