#if Postgres
  public import MillraceJournal

  extension PostgresJournal {
    /// The size in bytes of a part of a snapshot.
    private static let partBytes = 1 << 20

    /// Reads the newest snapshot of a key.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func snapshot(of key: JournalKey) async throws(JournalError) -> JournalSnapshot? {
      try await beginning(of: key).snapshot
    }

    /// Reads the newest snapshot of a key and the end of its log, by one statement for a snapshot of up to 1 MiB.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func beginning(of key: JournalKey) async throws(JournalError) -> JournalBeginning {
      let statements = KeyStatements(tables: tables, key: key)
      let found = try await read([statements.rowWithSnapshot])[0]
      if !found.rows.isEmpty {
        let row = StoredKey(key, found, 0, from: 0, erased: nil)
        guard let stored = row.snapshot else { return JournalBeginning(snapshot: nil, last: row.last) }
        if stored.parts <= 1 {
          let parts = found.isNull(0, StoredKey.count) ? 0 : 1
          let snapshot = try snapshot(of: key, stored, found.bytes(0, StoredKey.count), parts: parts)
          return JournalBeginning(snapshot: snapshot, last: row.last)
        }
      }
      let results = try await read(statements.row + [statements.snapshot])
      let row = StoredKey(key, results[0], erased: results[1])
      guard let stored = row.snapshot else { return JournalBeginning(snapshot: nil, last: row.last) }
      if row.erased != nil { return JournalBeginning(snapshot: .erased(through: stored.sequence), last: row.last) }
      let parts = results[2]
      let payload = parts.rows.flatMap { parts.bytes($0, 0) }
      return JournalBeginning(
        snapshot: try snapshot(of: key, stored, payload, parts: parts.rows.count), last: row.last)
    }

    /// Creates the snapshot of a payload that was read in this number of parts.
    private func snapshot(
      of key: JournalKey, _ stored: StoredKey.Snapshot, _ payload: [UInt8], parts: Int
    ) throws(JournalError) -> JournalSnapshot {
      let snapshot = JournalSnapshot(
        sequence: stored.sequence, revision: stored.revision, payload: payload, schemaVersion: stored.version)
      guard parts == stored.parts, snapshot.checksum(of: key) == stored.checksum else { throw .corruptSnapshot(key) }
      return snapshot
    }

    /// Stores a snapshot, as ``Journal/store(_:of:truncatingBefore:keeping:)`` says.
    ///
    /// A large one is stored in parts of 1 MiB, each in a transaction of its own. Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    @discardableResult
    public func store(
      _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?, keeping byteCount: Int
    ) async throws(JournalError) -> JournalSequence {
      let statements = KeyStatements(tables: tables, key: key)
      let (id, payload) = (UInt64.random(in: .min ... .max), snapshot.payload)
      let parts = stride(from: 0, to: payload.count, by: Self.partBytes).map { start in
        payload[start..<min(start + Self.partBytes, payload.count)]
      }
      func part(_ number: Int) -> PostgresStatement {
        statements.store(part: number, parts[number], of: id, at: snapshot.sequence)
      }
      for number in parts.indices.dropLast() {
        // A part that is not stored is not needed, or is missed at the end.
        if try await write([part(number)])[0].rows.isEmpty { break }
      }
      let end = [statements.lock] + statements.row + (parts.isEmpty ? [] : [part(parts.count - 1)])
      let results = try await write(
        end + statements.store(snapshot, parts: parts.count, of: id)
          + (time.map { [statements.truncate(through: snapshot.sequence, before: $0, keeping: byteCount)] } ?? []))
      let row = StoredKey(key, results[1], erased: results[2])
      guard snapshot.sequence <= row.last else { throw .snapshotAhead(key, snapshot.sequence, last: row.last) }
      let isNewer = row.snapshot.map { $0.sequence > snapshot.sequence } ?? false || row.erased != nil
      guard isNewer || !results[end.count].rows.isEmpty else {
        throw .unavailable("another process has stored a snapshot of \(key.quoted) meanwhile")
      }
      if time == nil { return .start }
      guard let removed = results.last, !removed.rows.isEmpty else { return row.truncated }
      return JournalSequence(removed.bits(0, 0))
    }

    /// Removes records, as ``Journal/truncate(_:through:before:keeping:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    @discardableResult
    public func truncate(
      _ key: JournalKey, through sequence: JournalSequence, before time: Int64, keeping byteCount: Int
    ) async throws(JournalError) -> JournalSequence {
      let statements = KeyStatements(tables: tables, key: key)
      let results = try await write(
        [statements.lock] + statements.row + [statements.truncate(through: sequence, before: time, keeping: byteCount)])
      let row = StoredKey(key, results[1], erased: results[2])
      guard sequence > row.truncated else { return row.truncated }
      guard let snapshot = row.snapshot, snapshot.sequence >= sequence else {
        throw .truncationAhead(key, sequence, snapshot: row.snapshot?.sequence)
      }
      let removed = results[3]
      return removed.rows.isEmpty ? row.truncated : JournalSequence(removed.bits(0, 0))
    }
  }
#endif
