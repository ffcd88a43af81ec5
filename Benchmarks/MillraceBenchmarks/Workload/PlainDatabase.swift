#if SQLite
  import Foundation
  import MillraceSQLite

  /// A database as a program writes and reads it by hand, with the tables and settings of a journal's file; one thread uses it.
  final class PlainDatabase: RecordTable {
    struct Failed: Error, CustomStringConvertible {
      let code: Int32
      var description: String { "SQLite failed: \(String(cString: sqlite3_errstr(code)))." }
    }

    private let pointer: OpaquePointer
    private var insertion: OpaquePointer?
    private var update: OpaquePointer?

    /// Opens a file, and makes it if it is missing.
    init(_ path: String) throws {
      var opened: OpaquePointer?
      let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
      let code = sqlite3_open_v2(path, &opened, flags, nil)
      guard let opened, code == SQLITE_OK else { throw Failed(code: code) }
      pointer = opened
      try run("PRAGMA journal_mode=WAL")
      try run("PRAGMA synchronous=FULL")
    }

    deinit {
      sqlite3_finalize(insertion)
      sqlite3_finalize(update)
      sqlite3_close_v2(pointer)
    }

    func run(_ sql: String) throws { try check(sqlite3_exec(pointer, sql, nil, nil, nil)) }

    // MARK: Writing

    /// Makes the tables of a log, and its row with the last sequence.
    func makeTables() throws {
      try run(
        """
        CREATE TABLE keys(name TEXT PRIMARY KEY NOT NULL, id INTEGER NOT NULL, last INTEGER NOT NULL, chain INTEGER NOT NULL, \
        truncated INTEGER NOT NULL, truncatedChain INTEGER NOT NULL, epochSequence INTEGER NOT NULL, epoch BLOB NOT NULL, \
        snapshot INTEGER, snapshotChecksum INTEGER NOT NULL, seal INTEGER NOT NULL) WITHOUT ROWID
        """)
      try run(
        """
        CREATE TABLE records(key INTEGER NOT NULL, sequence INTEGER NOT NULL, writer INTEGER NOT NULL, batch INTEGER NOT NULL, \
        kind INTEGER NOT NULL, version INTEGER NOT NULL, revision INTEGER NOT NULL, payload BLOB NOT NULL, chain INTEGER NOT NULL, \
        PRIMARY KEY(key, sequence)) WITHOUT ROWID
        """)
      try run("INSERT INTO keys VALUES('bookings', 1, 0, 1<<62, 0, 1<<62, 1, zeroblob(60), NULL, 0, 1<<62)")
      insertion = try prepare("INSERT INTO records VALUES(1,?,?,?,?,1,?,?,?)")
      update = try prepare("UPDATE keys SET last=?, chain=?, seal=? WHERE name='bookings'")
    }

    /// Runs `body` in one transaction, which is durable when this returns.
    func transaction(_ body: () throws -> Void) throws {
      try run("BEGIN IMMEDIATE")
      try body()
      try run("COMMIT")
    }

    func store(_ records: [PlainRecord]) throws {
      try transaction {
        for record in records {
          try insert(record.entry.payload, kind: record.entry.kind, at: record.sequence, checksum: record.checksum)
        }
        if let last = records.last { try setLast(last.sequence) }
      }
    }

    /// Inserts a record whose columns have the sizes of a journal's.
    ///
    /// - Parameter checksum: nil for a number in its place.
    func insert(_ payload: [UInt8], kind: Int = 2, at sequence: Int, checksum: Int64? = nil) throws {
      sqlite3_bind_int64(insertion, 1, Int64(sequence))
      sqlite3_bind_int64(insertion, 2, 0x5E1F_9A03_77C1_4B2D)
      sqlite3_bind_int64(insertion, 3, Int64(sequence))
      sqlite3_bind_int64(insertion, 4, Int64(kind))
      sqlite3_bind_int64(insertion, 5, Int64(sequence))
      _ = payload.withUnsafeBytes { millrace_sqlite_bind_bytes(insertion, 6, $0.baseAddress, UInt64($0.count)) }
      sqlite3_bind_int64(insertion, 7, checksum ?? wide(sequence))
      try finish(insertion)
    }

    /// Writes the last sequence into the row of the log.
    func setLast(_ sequence: Int) throws {
      let spread = wide(sequence)
      sqlite3_bind_int64(update, 1, Int64(sequence))
      sqlite3_bind_int64(update, 2, spread)
      sqlite3_bind_int64(update, 3, ~spread)
      try finish(update)
    }

    /// A number that takes all eight bytes, as a checksum does.
    private func wide(_ number: Int) -> Int64 { Int64(number) &* 0x1E37_79B9_7F4A_7C15 }

    private func finish(_ statement: OpaquePointer?) throws {
      let code = sqlite3_step(statement)
      sqlite3_reset(statement)
      guard code == SQLITE_DONE else { throw Failed(code: code) }
    }

    // MARK: Reading

    /// Reads the kind and the payload of each record in their order.
    func eachRecord(_ body: (_ kind: Int, _ payload: Data) throws -> Void) throws {
      let selection = try prepare("SELECT kind, payload FROM records WHERE key=1 ORDER BY sequence")
      defer { sqlite3_finalize(selection) }
      while true {
        switch sqlite3_step(selection) {
        case SQLITE_ROW:
          let count = Int(sqlite3_column_bytes(selection, 1))
          let payload = sqlite3_column_blob(selection, 1).map { Data(bytes: $0, count: count) } ?? Data()
          try body(Int(sqlite3_column_int64(selection, 0)), payload)
        case SQLITE_DONE: return
        case let code: throw Failed(code: code)
        }
      }
    }

    private func prepare(_ sql: String) throws -> OpaquePointer {
      var prepared: OpaquePointer?
      try check(sqlite3_prepare_v3(pointer, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil))
      guard let prepared else { throw Failed(code: SQLITE_MISUSE) }
      return prepared
    }

    private func check(_ code: Int32) throws {
      guard code == SQLITE_OK else { throw Failed(code: code) }
    }
  }

  extension GroupCommit {
    /// Creates the file of a log, and starts its thread.
    convenience init(_ path: String, hasChecksums: Bool) throws {
      let database = try PlainDatabase(path)
      try database.makeTables()
      self.init(database, hasChecksums: hasChecksums)
    }
  }
#endif
