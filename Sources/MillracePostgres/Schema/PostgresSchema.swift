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
        if let found = try partitionsOfTables() { return found }
        guard options.makesTables else { return .failure(noTables) }
        do throws(PostgresFailure) {
          _ = try connection.run(tables.making(partitions: max(options.partitions, 1)).map { PostgresStatement($0) })
        } catch {
          // Another process has made the tables at the same time.
          guard case .refused(let state, _) = error, Self.isThere.contains(state) else { throw error }
        }
        if let made = try partitionsOfTables() { return made }
      } catch {
        guard case .refused(state: "42501", let message) = error else { throw error }
        return .failure(noRight(message))
      }
      return .failure(.unavailable("the tables of schema \(tables.schema) are being made by another process"))
    }

    /// The states of SQL for a name that is there already, and for two processes that wait for each other.
    private static let isThere: Set<String> = ["42P06", "42P07", "42710", "23505", "40P01"]

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
    private func partitionsOfTables() throws(PostgresFailure) -> Result<Int, JournalError>? {
      let isThere = try connection.run([
        PostgresStatement(
          """
          select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = convert_from($1, 'UTF8') \
          and c.relname = 'journal_format'
          """
        ) { $0.add(tables.name.utf8) }
      ])[0]
      guard !isThere.rows.isEmpty else { return nil }
      let found = try connection.run([PostgresStatement("select version, partitions from \(tables("format"))")])[0]
      guard found.rows.count == 1, found.number(0, 1) > 0 else {
        return .failure(
          JournalError(
            .notAJournal,
            "The table \(tables("format")) is none of a journal, and is left as it is; name another schema."))
      }
      guard found.number(0, 0) == PostgresTables.version else {
        return .failure(
          JournalError(
            .otherVersion,
            """
            The tables of schema \(tables.schema) have version \(found.number(0, 0)), and this program reads version \
            \(PostgresTables.version); use the version of Millrace that has made them.
            """))
      }
      return .success(Int(found.number(0, 1)))
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
#endif
