#if SQLite
  import MillraceSQLite
  import MillraceVFS
  import Testing

  /// The disk of the other suites loses what a real one may lose: a kinder one would let a wrong journal pass.
  @Suite("A disk in memory")
  struct DiskTests {
    private struct Refused: Error {
      let code: Int32
    }

    /// A connection that is closed with the value.
    private final class Connection {
      private var connection: OpaquePointer?

      init(_ disk: Disk, synchronous: String = "FULL") throws {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = sqlite3_open_v2(Disk.file, &connection, flags, disk.name)
        guard code == SQLITE_OK else { throw Refused(code: code) }
        try run("PRAGMA page_size = 512; PRAGMA journal_mode = WAL; PRAGMA synchronous = \(synchronous)")
      }

      deinit { sqlite3_close_v2(connection) }

      func run(_ sql: String) throws {
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw Refused(code: code) }
      }

      func insert(_ count: Int) throws {
        for _ in 0..<count { try run("INSERT INTO numbers VALUES (randomblob(200))") }
      }

      func count() throws -> Int {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, "SELECT count(*) FROM numbers", -1, &statement, nil)
        guard code == SQLITE_OK else { throw Refused(code: code) }
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else { throw Refused(code: sqlite3_errcode(connection)) }
        return Int(sqlite3_column_int(statement, 0))
      }
    }

    /// The rows that a restart finds, of ten that were inserted behind an empty table.
    private func rows(synchronous: String, seed: UInt64) throws -> Int {
      let disk = Disk()
      do {
        let connection = try Connection(disk)
        try connection.run("CREATE TABLE numbers (bytes); PRAGMA wal_checkpoint(TRUNCATE)")
        try connection.run("PRAGMA synchronous = \(synchronous)")
        try connection.insert(10)
        // What closes the connection fails already.
        disk.plan(.crash, seed: seed)
      }
      disk.restart()
      return try Connection(disk).count()
    }

    @Test("Writes that are synchronized survive each crash")
    func synchronized() throws {
      for seed in 0..<40 { #expect(try rows(synchronous: "FULL", seed: UInt64(seed)) == 10) }
    }

    @Test("Of writes that are not synchronized a crash keeps the part that its seed draws")
    func notSynchronized() throws {
      let counts = try (0..<40).map { try rows(synchronous: "OFF", seed: UInt64($0)) }
      #expect(counts.contains { $0 < 10 } && Set(counts).count > 1, "\(counts)")
      #expect(try rows(synchronous: "OFF", seed: 7) == counts[7])
    }

    @Test("After a crash every operation fails until the restart")
    func crashed() throws {
      let disk = Disk()
      let connection = try Connection(disk)
      try connection.run("CREATE TABLE numbers (bytes)")
      disk.plan(.crash)
      for _ in 0..<3 { #expect(throws: Refused.self) { try connection.insert(1) } }
    }

    @Test("A full disk stays full until the restart, and a single error passes")
    func full() throws {
      for (fault, lasts) in [(millrace_fault.full, true), (.error, false)] {
        let disk = Disk()
        let connection = try Connection(disk)
        try connection.run("CREATE TABLE numbers (bytes)")
        disk.plan(fault)
        #expect(throws: Refused.self) { try connection.insert(1) }
        #expect(((try? connection.insert(1)) == nil) == lasts, "\(fault)")
      }
    }
  }
#endif
