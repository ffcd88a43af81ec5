#if Postgres
  import MillraceLibPQ

  /// A connection to a server as a program makes it by hand, in the pipeline mode of libpq; one thread uses it.
  final class PlainPostgres {
    struct Failed: Error, CustomStringConvertible {
      let message: String
      var description: String { "PostgreSQL failed: \(message)" }
    }

    private let handle: OpaquePointer
    /// The names of the statements that the server has prepared, by their texts.
    private var names: [String: String] = [:]

    init(_ address: String) throws {
      guard let made = PQconnectdb(address) else { throw Failed(message: "there is no memory for a connection") }
      handle = made
      guard PQstatus(handle) == CONNECTION_OK, PQenterPipelineMode(handle) == 1 else { throw failure }
      // A schema that is dropped has notices of its tables.
      PQsetNoticeProcessor(handle, { _, _ in }, nil)
    }

    deinit { PQfinish(handle) }

    /// Runs statements in one transaction, which is durable when this returns, and returns the rows of each.
    ///
    /// Each is prepared when it is run for the first time.
    @discardableResult
    func run(_ statements: [(sql: String, parameters: PlainParameters)]) throws -> [PlainRows] {
      /// Whether each result is that of a statement, and not of its preparation.
      var sent: [Bool] = []
      for (sql, parameters) in statements {
        let name = names[sql] ?? "s\(names.count)"
        if names.updateValue(name, forKey: sql) == nil {
          let types = parameters.types
          guard PQsendPrepare(handle, name, sql, Int32(types.count), types) == 1 else { throw failure }
          sent.append(false)
        }
        guard parameters.withPointers({ send(name, $0, $1, $2) }) == 1 else { throw failure }
        sent.append(true)
      }
      guard PQpipelineSync(handle) == 1 else { throw failure }
      var (rows, rest) = ([PlainRows](), sent[...])
      while true {
        // No result stands between those of two statements.
        guard let result = PQgetResult(handle) else {
          guard PQstatus(handle) == CONNECTION_OK else { throw failure }
          continue
        }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
          let found = PlainRows(result)
          if rest.popFirst() == true { rows.append(found) }
        case PGRES_PIPELINE_SYNC:
          PQclear(result)
          return rows
        default:
          defer { PQclear(result) }
          throw Failed(message: PQresultErrorMessage(result).map { String(cString: $0) } ?? "")
        }
      }
    }

    private func send(
      _ name: String, _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
    ) -> Int32 {
      PQsendQueryPrepared(handle, name, Int32(values.count), values, lengths, formats, 1)
    }

    private var failure: Failed { Failed(message: PQerrorMessage(handle).map { String(cString: $0) } ?? "") }
  }

  /// The rows of a statement in the binary format.
  final class PlainRows {
    private let result: OpaquePointer

    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }

    /// A value of a type with as many bytes as the column.
    func number<Number: FixedWidthInteger & BitwiseCopyable>(
      _ row: Int, _ column: Int, as type: Number.Type
    ) -> Number {
      let value = UnsafeRawPointer(PQgetvalue(result, Int32(row), Int32(column))!)
      return Number(bigEndian: value.loadUnaligned(as: type))
    }

    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
      let (row, column) = (Int32(row), Int32(column))
      return UnsafeRawBufferPointer(
        start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }
  }

  /// The parameters of a statement in the binary format, in one buffer, by hand.
  struct PlainParameters {
    private var bytes: [UInt8] = []
    /// The types by their numbers in the catalog of PostgreSQL.
    private(set) var types: [UInt32] = []
    /// The first byte of each parameter; nil for NULL.
    private var starts: [Int?] = []
    private var lengths: [Int32] = []

    /// Adds a `bigint`.
    mutating func add(_ number: Int64) {
      let start = bytes.count
      put(number)
      end(20, start)
    }

    /// Adds a `bytea`.
    mutating func add(_ value: some Collection<UInt8>) {
      let start = bytes.count
      bytes += value
      end(17, start)
    }

    /// Adds a `bigint[]` that is NULL.
    mutating func addNoNumbers() { end(1_016, nil) }

    /// Adds a `bytea[]` that is NULL.
    mutating func addNoBlobs() { end(1_001, nil) }

    /// Adds a `bigint[]`.
    mutating func add(numbers count: Int, _ number: (Int) -> Int64) {
      let start = bytes.count
      putHead(count, of: 20)
      let first = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: 12 * count))
      bytes.withUnsafeMutableBytes { bytes in
        for index in 0..<count {
          bytes.storeBytes(of: Int32(8).bigEndian, toByteOffset: first + 12 * index, as: Int32.self)
          bytes.storeBytes(of: number(index).bigEndian, toByteOffset: first + 12 * index + 4, as: Int64.self)
        }
      }
      end(1_016, start)
    }

    /// Adds a `bytea[]`.
    mutating func add(blobs count: Int, _ blob: (Int) -> [UInt8]) {
      let start = bytes.count
      putHead(count, of: 17)
      for index in 0..<count {
        let value = blob(index)
        put(Int32(value.count))
        bytes += value
      }
      end(1_001, start)
    }

    /// Calls `body` with the values, their lengths and their formats.
    func withPointers<Value>(_ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> Value) -> Value {
      // A value without bytes is none that is NULL, and points behind the others.
      (bytes + [0]).withUnsafeBufferPointer { bytes in
        bytes.withMemoryRebound(to: CChar.self) { bytes in
          body(starts.map { $0.map { bytes.baseAddress! + $0 } }, lengths, starts.map { _ in 1 })
        }
      }
    }

    /// The number of dimensions, whether there are NULLs, and the type; then the count and the first index of the one dimension.
    private mutating func putHead(_ count: Int, of element: Int32) {
      for word in count == 0 ? [0, 0, element] : [1, 0, element, Int32(count), 1] { put(word) }
    }

    private mutating func put(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func end(_ type: UInt32, _ start: Int?) {
      types.append(type)
      starts.append(start)
      lengths.append(start.map { Int32(bytes.count - $0) } ?? 0)
    }
  }
#endif
