#if SQLite
  import MillraceTesting

  @testable import MillraceJournal

  /// Changes values in the tables of a journal, and repairs its checksums as a program does that knows the format.
  struct JournalMutator {
    private let connection: SQLiteConnection
    private var random: SeededGenerator

    /// The tables, the columns that name a row, and the columns that are changed.
    private static let tables: [(name: String, row: String, columns: [String])] = [
      (
        "keys", "partition, name",
        [
          "partition", "name", "id", "last", "chain", "truncated", "truncatedChain", "epochSequence", "epoch",
          "snapshot",
          "wake", "removed",
        ]
      ),
      (
        "records", "key, sequence",
        [
          "key", "sequence", "writer", "batch", "kind", "version", "revision", "payload", "payload", "payload", "chain",
          "time", "position",
        ]
      ),
      ("snapshots", "key", ["key", "sequence", "revision", "version", "payload", "payload", "parts"]),
      ("file", "id", ["keys", "erased", "partitions"]),
      ("parts", "key, snapshot, part", ["key", "snapshot", "part", "payload", "payload"]),
      ("partitions", "id", ["id", "number", "epoch", "position", "owner"]),
      ("positions", "partition, position", ["partition", "position", "sequence"]),
      ("erased", "digest", ["partition", "last", "position"]),
    ]

    /// Changes one value of a journal or two, or removes a row.
    ///
    /// - Returns: The changes, for a sentence.
    static func mutate(_ disk: Disk, seed: UInt64, repairsChecksums: Bool) throws -> String {
      let connection = try SQLiteConnection(JournalPath(Disk.file), system: disk.name)
      defer { connection.close(leavesWAL: false) }
      var mutator = JournalMutator(connection: connection, random: SeededGenerator(seed: seed))
      try connection.run("BEGIN")
      var changes = try mutator.change()
      if Int.random(in: 0..<4, using: &mutator.random) == 0 { changes += ", " + (try mutator.change()) }
      if repairsChecksums { try mutator.repair() }
      try connection.run("COMMIT")
      return "seed \(seed): \(changes)"
    }

    private mutating func change() throws -> String {
      let table = Self.tables[[0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 4, 5, 6, 7].randomElement(using: &random)!]
      let offset = Int.random(in: 0..<max(1, try number("SELECT count(*) FROM \(table.name)")), using: &random)
      let row = "(SELECT \(table.row) FROM \(table.name) ORDER BY \(table.row) LIMIT 1 OFFSET \(offset))"
      if Int.random(in: 0..<12, using: &random) == 0 {
        try connection.run("DELETE FROM \(table.name) WHERE (\(table.row))=\(row)")
        return "DELETE \(table.name) \(offset)"
      }
      let column = table.columns.randomElement(using: &random)!
      var value = SQLiteValue.null
      try SQLiteStatement(connection, "SELECT \(column) FROM \(table.name) WHERE (\(table.row))=\(row)").run {
        value =
          ["name", "payload"].contains(column) || column == "epoch" && table.name == "keys" || column == "owner"
          ? .bytes($0.bytes(0)) : .number(Int64($0.int(0)))
        return false
      }
      var changed: SQLiteValue
      switch value {
      case .bytes(let bytes): changed = .bytes(mutant(of: bytes))
      case .number(let number): changed = .number(mutant(of: number))
      case .text, .null: return "nothing"
      }
      if column == "snapshot", table.name == "keys", Int.random(in: 0..<4, using: &random) == 0 { changed = .null }
      let place = column == "name" ? "CAST(? AS TEXT)" : "?"
      try SQLiteStatement(
        connection, "UPDATE OR REPLACE \(table.name) SET \(column)=\(place) WHERE (\(table.row))=\(row)"
      ).run([changed])
      if case .number(let number) = changed { return "\(table.name) \(offset) \(column)=\(number)" }
      return "\(table.name) \(offset) \(column)"
    }

    private mutating func mutant(of number: Int64) -> Int64 {
      let near = Int64.random(in: -3...30, using: &random)
      return [
        0, 1, -1, number &+ 1, number &- 1, number &+ near, number &* 2, near, .max, .min, .max - abs(near),
        1 << 62, 1 << 62 + 1, Int64.random(in: .min ... .max, using: &random),
      ].randomElement(using: &random)!
    }

    private mutating func mutant(of bytes: [UInt8]) -> [UInt8] {
      guard let index = bytes.indices.randomElement(using: &random) else { return [0xFF] }
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        var flipped = bytes
        flipped[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        return flipped
      case 1: return Array(bytes[..<index])
      default:
        // A number of a JSON becomes another one.
        guard let start = bytes[index...].firstIndex(where: isDigit) else { return bytes + [0xFF] }
        let texts = ["0", "-1", "9223372036854775807", "-9223372036854775808", "18446744073709551615", "1e999", "null"]
        return Array(bytes[..<start]) + texts.randomElement(using: &random)!.utf8 + bytes[start...].drop(while: isDigit)
      }
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private func number(_ sql: String) throws -> Int {
      var number = 0
      try SQLiteStatement(connection, sql).run {
        number = $0.int(0)
        return false
      }
      return number
    }

    // MARK: Checksums

    private mutating func repair() throws {
      var file = FileRow()
      file.keys = try number("SELECT keys FROM file")
      file.erased = try number("SELECT erased FROM file")
      file.partitions = try number("SELECT partitions FROM file")
      try SQLiteStatement(connection, "UPDATE file SET keys=?, erased=?, partitions=?, seal=?").run(file.values)
      var rows: [(row: KeyRow, name: [UInt8])] = []
      try SQLiteStatement(
        connection,
        """
        SELECT name, id, last, truncated, truncatedChain, epochSequence, epoch, snapshot, partition, wake, removed FROM keys
        """
      ).run {
        var row = KeyRow(JournalKey($0.text(0)), in: $0.int(8), id: $0.int(1))
        row.last = JournalSequence($0.number(2))
        row.truncated = JournalSequence($0.number(3))
        row.truncatedChain = RecordChain(continuing: $0.number(4))
        row.epochSequence = JournalSequence($0.number(5))
        row.epoch = $0.bytes(6)
        row.snapshot = $0.isNull(7) ? nil : (JournalSequence($0.number(7)), 0)
        row.wake = $0.isNull(9) ? nil : Int64(bitPattern: $0.number(9))
        row.removed = $0.isNull(10) ? nil : JournalPosition($0.number(10))
        rows.append((row, $0.bytes(0)))
        return true
      }
      for (row, name) in rows {
        var row = row
        try repairRecords(of: &row)
        try repairSnapshot(of: &row)
        try SQLiteStatement(
          connection,
          "UPDATE keys SET last=?, chain=?, snapshot=?, snapshotChecksum=?, seal=? WHERE partition=? AND CAST(name AS BLOB)=?"
        ).run([
          SQLiteValue(row.last.number), SQLiteValue(row.chain.value),
          row.snapshot.map { SQLiteValue($0.sequence.number) } ?? .null, SQLiteValue(row.snapshot?.checksum ?? 0),
          SQLiteValue(row.seal), SQLiteValue(row.partition), .bytes(name),
        ])
      }
    }

    /// Renumbers the records of a key so that they fit one another, and in half of the mutants the end of the log fit them.
    private mutating func repairRecords(of row: inout KeyRow) throws {
      row.chain = row.truncatedChain
      var (checksums, end): ([(UInt64, UInt64)], JournalSequence?) = ([], nil)
      try SQLiteStatement(
        connection,
        """
        SELECT sequence, writer, batch, kind, version, revision, payload, time, position FROM records WHERE key=? AND sequence>? \
        ORDER BY sequence
        """
      ).run([SQLiteValue(row.id), SQLiteValue(row.truncated.number)]) {
        let (sequence, revision) = (JournalSequence($0.number(0)), $0.int(5))
        let entry = JournalEntry(
          kind: JournalEntry.Kind(rawValue: UInt8(truncatingIfNeeded: $0.int(3))), payload: $0.bytes(6),
          schemaVersion: $0.int(4), revision: revision == -1 ? nil : revision)
        row.chain.add(
          entry, sequence: sequence, batch: JournalBatch.ID(writer: $0.number(1), number: $0.number(2)),
          time: $0.isNull(7) ? nil : Int64(bitPattern: $0.number(7)),
          position: $0.isNull(8) ? nil : JournalPosition($0.number(8)))
        checksums.append((sequence.number, row.chain.value))
        end = sequence
        return true
      }
      for (sequence, checksum) in checksums {
        try SQLiteStatement(connection, "UPDATE records SET chain=? WHERE key=? AND sequence=?")
          .run([SQLiteValue(checksum), SQLiteValue(row.id), SQLiteValue(sequence)])
      }
      if let end, Bool.random(using: &random) { row.last = end }
    }

    /// Computes the checksum of a snapshot anew, and in half of the mutants its sequence in both tables the same.
    private mutating func repairSnapshot(of row: inout KeyRow) throws {
      var snapshot: JournalSnapshot?
      var parts: [UInt8] = []
      try SQLiteStatement(
        connection,
        "SELECT p.payload FROM parts p JOIN snapshots s ON s.key=p.key AND s.parts=p.snapshot WHERE p.key=? ORDER BY p.part"
      ).run([SQLiteValue(row.id)]) {
        parts += $0.bytes(0)
        return true
      }
      try SQLiteStatement(connection, "SELECT sequence, revision, version, payload FROM snapshots WHERE key=?")
        .run([SQLiteValue(row.id)]) {
          snapshot = JournalSnapshot(
            sequence: JournalSequence($0.number(0)), revision: $0.int(1), payload: parts + $0.bytes(3),
            schemaVersion: $0.int(2))
          return false
        }
      guard let snapshot, let sequence = row.snapshot?.sequence else { return }
      let isMoved = Bool.random(using: &random)
      row.snapshot = (isMoved ? snapshot.sequence : sequence, snapshot.checksum(of: row.key))
    }
  }

#endif
