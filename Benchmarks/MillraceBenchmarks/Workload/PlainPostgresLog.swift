#if Postgres
  import MillracePostgres

  /// A log in the tables of a journal, as a program writes and reads it by hand.
  final class PlainPostgresLog: RecordTable {
    static let name = Array("bookings".utf8)

    private let connection: PlainPostgres
    private let texts: AppendTexts
    private let recordsText: String

    init(_ schema: PostgresBench) throws {
      connection = try PlainPostgres(schema.address)
      texts = AppendTexts(schema.tables)
      recordsText = """
        select sequence, writer, batch, kind, version, revision, time, checksum, payload from \(schema.tables("record")) \
        where key = $1 and sequence > $2 order by sequence limit 8192
        """
    }

    // MARK: Writing

    /// Creates the row of the log.
    func begin() throws {
      try connection.run([
        fenced(texts.begin) {
          $0.add(numbers: 1) { _ in 0 }
          $0.add(numbers: 1) { _ in 0 }
          $0.add(blobs: 1) { _ in Self.name }
          $0.add(numbers: 1) { _ in 0 }
          $0.add(blobs: 1) { _ in [] }
          $0.add(numbers: 1) { _ in 0 }
        }
      ])
    }

    func store(_ records: [PlainRecord]) throws {
      guard let first = records.first, let last = records.last else { return }
      let time = Self.time
      let results = try connection.run([
        fenced(texts.store) {
          $0.add(numbers: 1) { _ in 0 }
          $0.add(blobs: 1) { _ in Self.name }
          $0.add(numbers: 1) { _ in Int64(first.sequence - 1) }
          $0.add(numbers: 1) { _ in Int64(last.sequence) }
          $0.add(numbers: 1) { _ in 0 }
          $0.addNoNumbers()
          $0.addNoNumbers()
          $0.addNoBlobs()
          $0.addNoNumbers()
          $0.add(numbers: records.count) { _ in 1 }
          $0.add(numbers: records.count) { Int64(records[$0].sequence) }
          $0.add(numbers: records.count) { _ in 0x5E1F_9A03_77C1_4B2D }
          $0.add(numbers: records.count) { Int64(records[$0].sequence) }
          $0.add(numbers: records.count) { Int64(records[$0].entry.kind) }
          $0.add(numbers: records.count) { _ in 1 }
          $0.add(numbers: records.count) { Int64(records[$0].sequence) }
          $0.add(numbers: records.count) { _ in time }
          $0.add(numbers: records.count) { records[$0].checksum ?? ~Int64(records[$0].sequence) }
          $0.add(blobs: records.count) { records[$0].entry.payload }
        }
      ])
      guard results[0].count == 1 else { throw PlainPostgres.Failed(message: "the log ends elsewhere") }
    }

    /// A wall time in milliseconds since 1970.
    private static let time: Int64 = 1_700_000_000_000

    /// A statement with the fence of no partition.
    private func fenced(
      _ sql: String, _ add: (inout PlainParameters) -> Void = { _ in }
    ) -> (String, PlainParameters) {
      var parameters = PlainParameters()
      for _ in 0..<4 { parameters.add(numbers: 0) { _ in 0 } }
      add(&parameters)
      return (sql, parameters)
    }

    // MARK: Reading

    /// A record that is read.
    struct Record {
      let sequence, writer, batch: UInt64
      let kind: UInt8
      let version, revision, time: Int64
      let checksum: UInt64
      let payload: [UInt8]
    }

    /// Reads a page of the records of the key with this id.
    func records(of key: Int64, after sequence: UInt64) throws -> [Record] {
      var parameters = PlainParameters()
      parameters.add(key)
      parameters.add(Int64(sequence))
      let rows = try connection.run([(recordsText, parameters)])[0]
      return (0..<rows.count).map { row in
        Record(
          sequence: rows.number(row, 0, as: UInt64.self), writer: rows.number(row, 1, as: UInt64.self),
          batch: rows.number(row, 2, as: UInt64.self), kind: UInt8(rows.number(row, 3, as: Int16.self)),
          version: rows.number(row, 4, as: Int64.self), revision: rows.number(row, 5, as: Int64.self),
          time: rows.number(row, 6, as: Int64.self), checksum: rows.number(row, 7, as: UInt64.self),
          payload: Array(rows.bytes(row, 8)))
      }
    }
  }
#endif
