#if Postgres
  import MillraceEntries

  /// The statements that the server of a connection has prepared, so that it parses and plans each of them once.
  ///
  /// A pooler gives a connection of the server to several clients, one transaction each, and the statements stay prepared there. So the name of a statement
  /// is made of its text, and has the same text in every process; and the server may know a name that this client has not prepared, or not know one that it
  /// has.
  struct PreparedStatements {
    /// The name of a statement: a hash of its whole text, with its schema, and of the types of its parameters.
    struct Name: Hashable, Sendable {
      private let hash: UInt64

      init(_ sql: String, _ types: [UInt32]) {
        var checksum = Checksum()
        var sql = sql
        sql.withUTF8 { checksum.add(UnsafeRawBufferPointer($0)) }
        for type in types { checksum.add(UInt64(type)) }
        hash = checksum.value
      }

      /// The name as the server has it: `m` and 16 hexadecimal digits.
      var text: String {
        let digits = String(hash, radix: 16)
        return "m\(String(repeating: "0", count: 16 - digits.count))\(digits)"
      }
    }

    /// The state of SQL for a name that is prepared already.
    static let isPrepared = "42P05"
    /// The states of SQL for a name that is not prepared, as behind a pooler that has changed the server, and for a statement whose columns have changed.
    private static let isUnusable: Set<String> = ["26000", "0A000"]

    private var names: Set<Name> = []
    /// Whether statements have names; false for the rest of the connection after one could not be used.
    private(set) var isUsed = true
    private var transactions = 0

    /// The number of names that are prepared.
    var count: Int { names.count }

    func contains(_ name: Name) -> Bool { names.contains(name) }

    /// Adds names that the server has prepared in a transaction, also if the transaction was undone.
    mutating func add(_ made: [Name]) { names.formUnion(made) }

    /// Counts a transaction, and returns whether the server has to plan the statements anew before it: tables grow, and a plan is for the tables as they were.
    ///
    /// It is due at each doubling of the number of transactions, so it costs next to nothing.
    mutating func isPlanningDue() -> Bool {
      transactions += 1
      return isUsed && transactions > 1 && transactions & (transactions - 1) == 0
    }

    /// Whether a transaction that was refused is repeated, because names are used otherwise from now on.
    ///
    /// - Parameter count: The number of names before the transaction.
    mutating func isRepeated(after state: String, before count: Int) -> Bool {
      if state == Self.isPrepared { return self.count > count }
      guard isUsed, Self.isUnusable.contains(state) else { return false }
      isUsed = false
      return true
    }
  }
#endif
