#if Postgres
  import Foundation
  import MillraceJournal
  import MillraceLibPQ

  /// The address of a server, and the parameters of connections to it: the keywords of libpq and their values.
  struct PostgresAddress: Sendable {
    private let values: [(keyword: String, value: String)]
    /// Whether a server that takes no writes can be used, too.
    private let isReading: Bool
    /// Whether it has a password, or another value that libpq never shows.
    let hasSecret: Bool

    /// Reads a URI, or keywords and values; what they leave out comes from the environment, a service file and a file of passwords, as libpq says.
    ///
    /// - Parameter isReading: Whether a server that takes no writes can be used, too.
    /// - Throws: ``JournalError`` with the code ``JournalError/Code/cannotOpen``, which repeats nothing of the text.
    init(_ text: String, isReading: Bool = false) throws(JournalError) {
      var message: UnsafeMutablePointer<CChar>?
      let options = PQconninfoParse(text, &message)
      // The message of libpq repeats a part of the text, which may be a password.
      PQfreemem(message)
      guard let options else {
        throw JournalError(
          .cannotOpen,
          """
          The address of PostgreSQL cannot be read; give a URI such as 'postgresql://host:5432/database?user=name', or keywords such as \
          'host=… dbname=… user=…'.
          """)
      }
      defer { PQconninfoFree(options) }
      var (values, hasSecret): ([(String, String)], Bool) = ([], false)
      var option = options
      while let keyword = option.pointee.keyword {
        if let value = option.pointee.val {
          values.append((String(cString: keyword), String(cString: value)))
          // An asterisk marks the values that a form does not show.
          if option.pointee.dispchar.map({ String(cString: $0) }) == "*" { hasSecret = true }
        }
        option += 1
      }
      self.values = values
      self.isReading = isReading
      self.hasSecret = hasSecret
      // A password that is not encoded may end in another part of a URI, which a later message would repeat.
      for (keyword, value) in values {
        let isPossible =
          switch keyword {
          case "port": value.allSatisfy { $0.isASCII && $0.isNumber || $0 == "," }
          case "host", "dbname": !value.contains("@")
          default: true
          }
        guard isPossible else {
          throw JournalError(
            .cannotOpen,
            """
            The address of PostgreSQL has a \(keyword) that is none; in a URI write '@', ':', '/' and '%' of a name or password as %40, %3A, %2F \
            and %25.
            """)
        }
      }
    }

    /// The values of all keywords, also those of the environment and of a service file, as a connection has them.
    ///
    /// Values that libpq never shows are left out.
    var settings: [String: String] {
      guard let handle = withPointers(timeout: 1, { PQconnectStartParams($0, $1, 0) }) else { return [:] }
      defer { PQfinish(handle) }
      guard let options = PQconninfo(handle) else { return [:] }
      defer { PQconninfoFree(options) }
      var (settings, option) = ([String: String](), options)
      while let keyword = option.pointee.keyword {
        let isHidden = option.pointee.dispchar.map { String(cString: $0) } == "*"
        if let value = option.pointee.val.map({ String(cString: $0) }), !value.isEmpty, !isHidden {
          settings[String(cString: keyword)] = value
        }
        option += 1
      }
      return settings
    }

    /// Calls `body` with the keywords and the values as libpq takes them, with those of a journal where the text has none.
    ///
    /// - Parameter timeout: the time in milliseconds for which the network may take sent bytes without an answer.
    func withPointers<Value>(
      timeout: Int, _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) -> Value
    ) -> Value {
      let defaults = [
        ("client_encoding", "UTF8"), ("application_name", "millrace"),
        ("target_session_attrs", isReading ? "any" : "read-write"), ("keepalives_idle", "10"),
        ("keepalives_interval", "5"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "\(timeout)"),
      ]
      let all = values + defaults.filter { name, _ in !values.contains { $0.keyword == name } }
      let copies = all.map { (strdup($0.0), strdup($0.1)) }
      defer {
        for (keyword, value) in copies {
          free(keyword)
          free(value)
        }
      }
      return body(copies.map { UnsafePointer($0.0) } + [nil], copies.map { UnsafePointer($0.1) } + [nil])
    }
  }
#endif
