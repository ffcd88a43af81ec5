#if SQLite
  import MillraceSQLite

  /// A value of a row or of a parameter.
  enum SQLiteValue {
    case number(Int64)
    case text(String)
    case bytes([UInt8])
    case null

    init(_ number: UInt64) { self = .number(Int64(bitPattern: number)) }
    init(_ number: Int) { self = .number(Int64(number)) }
  }

  /// A statement, which is prepared when it is first run: to prepare all of a journal's would take as long as the rest of its opening.
  final class SQLiteStatement {
    private let connection: SQLiteConnection
    private let sql: String
    private var prepared: OpaquePointer?

    init(_ connection: SQLiteConnection, _ sql: String) {
      self.connection = connection
      self.sql = sql
    }

    deinit {
      sqlite3_finalize(prepared)
    }

    private func prepare() throws(SQLiteFailure) -> OpaquePointer {
      if let prepared { return prepared }
      try connection.check(
        sqlite3_prepare_v3(connection.pointer, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil))
      guard let prepared else { throw SQLiteFailure(SQLITE_MISUSE, connection.pointer) }
      return prepared
    }

    /// Runs the statement, and shows its rows until `body` returns false.
    func run(_ values: [SQLiteValue] = [], _ body: (SQLiteRow) throws -> Bool = { _ in true }) throws {
      try run(binding: { for value in values { $0.add(value) } }, body)
    }

    /// Runs the statement with the values that `bind` adds, and shows its rows until `body` returns false.
    ///
    /// It makes no array of them, for the statement that is run for each record.
    func run(
      binding bind: (inout SQLiteParameters) -> Void, _ body: (SQLiteRow) throws -> Bool = { _ in true }
    ) throws {
      let pointer = try prepare()
      defer {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
      }
      var parameters = SQLiteParameters(pointer)
      bind(&parameters)
      try connection.check(parameters.code)
      while true {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: if try !body(SQLiteRow(pointer)) { return }
        case SQLITE_DONE: return
        case let code: throw SQLiteFailure(code, connection.pointer)
        }
      }
    }
  }

  /// The parameters of a statement, which get their values in their order.
  struct SQLiteParameters {
    private let pointer: OpaquePointer
    private var index: Int32 = 0
    /// The result of the first value that was not taken.
    fileprivate private(set) var code = SQLITE_OK

    fileprivate init(_ pointer: OpaquePointer) {
      self.pointer = pointer
    }

    mutating func add(_ number: Int64) { bind { sqlite3_bind_int64($0, $1, number) } }

    mutating func add(_ number: UInt64) { add(Int64(bitPattern: number)) }

    mutating func add(_ number: Int64?) {
      if let number { add(number) } else { bind { sqlite3_bind_null($0, $1) } }
    }

    mutating func add(_ number: Int) { add(Int64(number)) }

    mutating func add(_ bytes: [UInt8]) {
      bind { pointer, index in
        bytes.withUnsafeBytes { millrace_sqlite_bind_bytes(pointer, index, $0.baseAddress, UInt64($0.count)) }
      }
    }

    mutating func add(_ value: SQLiteValue) {
      switch value {
      case .number(let number): add(number)
      case .null: bind { sqlite3_bind_null($0, $1) }
      case .bytes(let bytes): add(bytes)
      case .text(var text):
        bind { pointer, index in
          text.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) {
              millrace_sqlite_bind_text(pointer, index, $0.baseAddress, UInt64($0.count))
            }
          }
        }
      }
    }

    private mutating func bind(_ body: (OpaquePointer, Int32) -> Int32) {
      index += 1
      if code == SQLITE_OK { code = body(pointer, index) }
    }
  }

  /// A row of a result, which lasts until the next one.
  struct SQLiteRow {
    private let pointer: OpaquePointer

    fileprivate init(_ pointer: OpaquePointer) {
      self.pointer = pointer
    }

    func number(_ column: Int32) -> UInt64 { UInt64(bitPattern: sqlite3_column_int64(pointer, column)) }

    func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(pointer, column)) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }

    func isText(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_TEXT }

    func bytes(_ column: Int32) -> [UInt8] {
      guard let bytes = sqlite3_column_blob(pointer, column) else { return [] }
      return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(pointer, column))))
    }

    /// A text; bytes that are no UTF-8 are replaced.
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
  }
#endif
