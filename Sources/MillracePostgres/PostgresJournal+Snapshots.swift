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
      let statements = KeyStatements(tables: tables, key: key)
      let found = try await read([statements.rowWithSnapshot])[0]
      if !found.rows.isEmpty {
        guard let stored = StoredKey(key, found, 0, from: 0, erased: nil).snapshot else { return nil }
        if stored.parts <= 1 {
          let isThere = !found.isNull(0, StoredKey.count)
          return try snapshot(of: key, stored, found.bytes(0, StoredKey.count), parts: isThere ? 1 : 0)
        }
      }
      let results = try await read(statements.row + [statements.snapshot])
      let row = StoredKey(key, results[0], erased: results[1])
      guard let stored = row.snapshot else { return nil }
      if row.erased != nil { return .erased(through: stored.sequence) }
      let parts = results[2]
      return try snapshot(of: key, stored, parts.rows.flatMap { parts.bytes($0, 0) }, parts: parts.rows.count)
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

    /// Stores a snapshot, as ``Journal/store(_:of:truncatingBefore:)`` says.
    ///
    /// A large one is stored in parts of 1 MiB, each in a transaction of its own. Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    @discardableResult
    public func store(
      _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?
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
          + (time.map { [statements.truncate(through: snapshot.sequence, before: $0)] } ?? []))
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

    /// Removes records, as ``Journal/truncate(_:through:before:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    @discardableResult
    public func truncate(
      _ key: JournalKey, through sequence: JournalSequence, before time: Int64
    ) async throws(JournalError) -> JournalSequence {
      let statements = KeyStatements(tables: tables, key: key)
      let results = try await write(
        [statements.lock] + statements.row + [statements.truncate(through: sequence, before: time)])
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
