#if Postgres
  import Millrace
  import MillraceJournal

  /// The check of a server by a journal that is opened, and of the tables that it makes there.
  struct PostgresSchema {
    let connection: PostgresConnection
    let tables: PostgresTables

    /// Checks the server and the tables, and makes these if there are none and the options say so.
    ///
    /// - Returns: the number of partitions, or the reason for which the server or the tables cannot be used.
    func open(_ options: PostgresOptions) throws(PostgresFailure) -> Result<Int, JournalError> {
      if let refusal = try refusal(isReading: options.isReading) { return .failure(refusal) }
      do throws(PostgresFailure) {
        if let found = try partitionsOfTables(moving: options.makesTables) { return found }
        guard options.makesTables else { return .failure(noTables) }
        do throws(PostgresFailure) {
          _ = try connection.run(tables.making(partitions: max(options.partitions, 1)).map { PostgresStatement($0) })
        } catch {
          // Another process has made the tables at the same time.
          guard case .refused(let state, _) = error, Self.isThere.contains(state) else { throw error }
        }
        if let made = try partitionsOfTables(moving: false) { return made }
      } catch {
        guard case .refused(state: "42501", let message) = error else { throw error }
        return .failure(noRight(message))
      }
      return .failure(.unavailable("the tables of schema \(tables.schema) are being made by another process"))
    }

    /// The states of SQL for a name that is there already, and for two processes that wait for each other.
    private static let isThere: Set<String> = ["42P06", "42P07", "42701", "42710", "23505", "40P01"]

    /// The longest time for the move of tables to a new version, which makes an index of all records.
    private static let moveTime = Duration.seconds(24 * 3_600)

    /// The reason for which the server cannot be used; nil if there is none.
    private func refusal(isReading: Bool) throws(PostgresFailure) -> JournalError? {
      let found = try connection.run([
        PostgresStatement(
          "select current_setting('server_version_num')::bigint, current_setting('server_encoding'), current_setting('fsync')"
        )
      ])[0]
      func refusal(_ reason: String, _ fix: String) -> JournalError {
        JournalError(.cannotOpen, "The PostgreSQL server \(reason); \(fix).")
      }
      if found.number(0, 0) < 130_000 { return refusal("is older than version 13", "use a newer one") }
      if found.text(0, 1) != "UTF8" {
        return refusal("has a database with the encoding \(found.text(0, 1))", "use a database with the encoding UTF8")
      }
      if found.text(0, 2) != "on", !isReading {
        return refusal("runs with fsync=off, and loses acknowledged records in a crash", "set fsync=on")
      }
      return nil
    }

    /// The number of partitions, or the reason for which the tables cannot be used; nil if there are none.
    ///
    /// - Parameter isMoving: Whether tables of the version before are moved to this one.
    private func partitionsOfTables(moving isMoving: Bool) throws(PostgresFailure) -> Result<Int, JournalError>? {
      let isThere = try connection.run([
        PostgresStatement(
          """
          select c.relkind = 'r' from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = convert_from($1, 'UTF8') \
          and c.relname = 'journal_format'
          """
        ) { $0.add(tables.name.utf8) }
      ])[0]
      guard !isThere.rows.isEmpty else { return nil }
      // A view, or a table of another server, is none that a journal has made.
      guard isThere.number(0, 0) == 1 else { return .failure(notAJournal) }
      let found: PostgresResult
      do throws(PostgresFailure) {
        found = try connection.run([PostgresStatement("select version, partitions from \(tables("format"))")])[0]
      } catch {
        // It has no such columns.
        guard case .refused(state: "42703", _) = error else { throw error }
        return .failure(notAJournal)
      }
      guard found.rows.count == 1, found.number(0, 1) > 0 else { return .failure(notAJournal) }
      let version = found.number(0, 0)
      if version == PostgresTables.movedVersion, isMoving {
        if let reason = try move() { return .failure(reason) }
      } else if version != PostgresTables.version {
        let fix =
          version == PostgresTables.movedVersion
          ? "open the journal for writing with this version of Millrace, which moves them to version \(PostgresTables.version)"
          : "use the version of Millrace that made them"
        return .failure(
          JournalError(
            .otherVersion,
            """
            The tables of schema \(tables.schema) have version \(version), and this program reads version \(PostgresTables.version); \(fix).
            """))
      }
      return .success(Int(found.number(0, 1)))
    }

    /// Moves the tables to the newest version in one transaction; returns the reason if they cannot be moved, and then changes nothing.
    private func move() throws(PostgresFailure) -> JournalError? {
      do throws(PostgresFailure) {
        _ = try connection.run(tables.moving.map { PostgresStatement($0) }, within: Self.moveTime)
        return nil
      } catch {
        guard case .refused(state: "23505", _) = error else { throw error }
        let found = try connection.run([PostgresStatement(tables.sharedPosition)], within: Self.moveTime)[0]
        if found.rows.isEmpty { throw error }
        let partition = JournalPartition(of: found.text(0, 0), number: Int(found.number(0, 1)))
        return .sharedPosition(JournalPosition(found.bits(0, 2)), in: partition)
      }
    }

    private var notAJournal: JournalError {
      JournalError(
        .notAJournal, "\(tables("format")) is not a table of a journal, and was not changed; use another schema.")
    }

    private var noTables: JournalError {
      JournalError(
        .cannotOpen,
        "The schema \(tables.schema) has no tables of a journal; name the schema and the database that a program has written to."
      )
    }

    private func noRight(_ message: String) -> JournalError {
      JournalError(
        .cannotOpen,
        """
        The role may not use or make the tables of schema \(tables.schema): \(message); open the journal once as a role that may create them, and \
        grant select, insert, update and delete to this one.
        """)
    }
  }

  extension JournalError {
    fileprivate static func sharedPosition(_ position: JournalPosition, in partition: JournalPartition) -> JournalError
    {
      JournalError(
        .corrupt,
        """
        Two records have position \(position) of \(partition), so an earlier version let two processes store records at the same time, as after a restore. \
        Nothing was changed; restore the journal from a copy, or continue with the version of Millrace that made the tables.
        """)
    }
  }
#endif
