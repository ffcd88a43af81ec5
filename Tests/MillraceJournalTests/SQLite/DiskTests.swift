#if SQLite
  import MillraceVFS
  import Testing

  /// The disk of the other suites loses what a real one may lose: a kinder one would let a wrong journal pass.
  @Suite("A disk in memory")
  struct DiskTests {
    /// A connection to a file on the disk.
    private struct Connection {
      let plain: PlainConnection

      init(_ disk: Disk, synchronous: String = "FULL") throws {
        plain = try PlainConnection(Disk.file, system: disk.name)
        try run("PRAGMA page_size = 512; PRAGMA journal_mode = WAL; PRAGMA synchronous = \(synchronous)")
      }

      func run(_ sql: String) throws { try plain.run(sql) }

      func insert(_ count: Int) throws {
        for _ in 0..<count { try run("INSERT INTO numbers VALUES (randomblob(200))") }
      }

      func count() throws -> Int { try plain.rows("SELECT count(*) FROM numbers")[0][0].number ?? 0 }
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
      for _ in 0..<3 { #expect(throws: PlainConnection.Refused.self) { try connection.insert(1) } }
    }

    @Test("A full disk stays full until the restart, and a single error passes")
    func full() throws {
      for (fault, lasts) in [(millrace_fault.full, true), (.error, false)] {
        let disk = Disk()
        let connection = try Connection(disk)
        try connection.run("CREATE TABLE numbers (bytes)")
        disk.plan(fault)
        #expect(throws: PlainConnection.Refused.self) { try connection.insert(1) }
        #expect(((try? connection.insert(1)) == nil) == lasts, "\(fault)")
      }
    }
  }
#endif
