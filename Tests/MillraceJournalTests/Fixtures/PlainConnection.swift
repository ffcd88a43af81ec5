#if SQLite
  import Foundation
  import MillraceSQLite

  /// A connection to a file by SQLite only, which is closed with the value.
  final class PlainConnection {
    struct Refused: Error {
      let code: Int32
    }

    /// A value of a row; a text is its UTF-8.
    enum Value: Equatable {
      case null
      case number(Int64)
      case bytes(Data)

      var number: Int? { if case .number(let number) = self { Int(number) } else { nil } }
      var bytes: Data { if case .bytes(let bytes) = self { bytes } else { Data() } }
      var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    private var connection: OpaquePointer?

    /// Opens a file, and makes it if it is missing.
    ///
    /// - Parameter system: The name of SQLite's interface to the system; nil for the default one.
    init(_ file: String, system: String? = nil) throws {
      let code = sqlite3_open_v2(file, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, system)
      guard code == SQLITE_OK else { throw Refused(code: code) }
    }

    deinit { sqlite3_close_v2(connection) }

    func run(_ sql: String) throws {
      let code = sqlite3_exec(connection, sql, nil, nil, nil)
      guard code == SQLITE_OK else { throw Refused(code: code) }
    }

    /// The rows of a query.
    func rows(_ sql: String) throws -> [[Value]] {
      var statement: OpaquePointer?
      let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
      guard code == SQLITE_OK else { throw Refused(code: code) }
      defer { sqlite3_finalize(statement) }
      var rows: [[Value]] = []
      while true {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { Self.value(statement, $0) })
        case SQLITE_DONE: return rows
        case let code: throw Refused(code: code)
        }
      }
    }

    private static func value(_ statement: OpaquePointer?, _ column: Int32) -> Value {
      switch sqlite3_column_type(statement, column) {
      case SQLITE_NULL: return .null
      case SQLITE_INTEGER: return .number(sqlite3_column_int64(statement, column))
      default:
        guard let bytes = sqlite3_column_blob(statement, column) else { return .bytes(Data()) }
        return .bytes(Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column))))
      }
    }
  }
#endif
