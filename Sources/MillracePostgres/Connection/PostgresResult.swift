#if Postgres
  import MillraceLibPQ

  /// The rows of a statement in the binary format, which are released with it.
  ///
  /// Nothing changes them once the connection has made them, so any thread may read them.
  final class PostgresResult: @unchecked Sendable {
    private let result: OpaquePointer

    init(owning result: OpaquePointer) {
      self.result = result
    }

    deinit { PQclear(result) }

    var rows: Range<Int> { 0..<Int(PQntuples(result)) }

    func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

    /// A number of two, four or eight bytes, or a truth value; 0 for NULL.
    func number(_ row: Int, _ column: Int) -> Int64 {
      let bytes = value(row, column)
      return switch bytes.count {
      case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
      case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
      case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
      case 1: Int64(bytes[0])
      default: 0
      }
    }

    func optional(_ row: Int, _ column: Int) -> Int64? { isNull(row, column) ? nil : number(row, column) }

    /// The bits of a `bigint`.
    func bits(_ row: Int, _ column: Int) -> UInt64 { UInt64(bitPattern: number(row, column)) }

    func bytes(_ row: Int, _ column: Int) -> [UInt8] { Array(value(row, column)) }

    func text(_ row: Int, _ column: Int) -> String { String(decoding: value(row, column), as: UTF8.self) }

    private func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
      let (row, column) = (Int32(row), Int32(column))
      return UnsafeRawBufferPointer(
        start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }
  }
#endif
