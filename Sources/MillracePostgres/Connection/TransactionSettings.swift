#if Postgres
  /// The settings of the server that hold for one transaction, because a pooler may give the next one to another client.
  enum TransactionSettings {
    /// The text of the statement that makes them, which is the first one of a transaction.
    ///
    /// - The transaction waits for no lock longer than half of the deadline or two seconds, and no statement takes longer than the deadline. Without these
    ///   limits a backend that waits for a locked table stays on the server after its client has given up. Neither limit ends the wait of a commit for
    ///   a standby.
    /// - A server whose commits return before they are durable makes this one durable.
    /// - A prepared statement is planned once, for parameters that are not known, and by an index: the tables may have been empty when it was planned. With
    ///   the costs of pages the server would then read a whole table for each statement, until it next analyzes the table.
    /// - Functions and operators are those of the server, whatever the `search_path` of the role names before them; tables have their schema.
    static func text(_ deadline: Duration) -> String {
      let milliseconds = max(1, Int64(Int32(clamping: Int64(min(deadline, .seconds(1 << 21)) / .milliseconds(1)))))
      let settings = [
        ("lock_timeout", "\(max(1, min(2_000, milliseconds / 2)))"), ("statement_timeout", "\(milliseconds)"),
        ("search_path", "pg_catalog"), ("plan_cache_mode", "force_generic_plan"), ("seq_page_cost", "0"),
        ("random_page_cost", "0"),
        ("enable_seqscan", "off"), ("enable_bitmapscan", "off"), ("enable_mergejoin", "off"), ("jit", "off"),
      ]
      return """
        select \(settings.map { "pg_catalog.set_config('\($0)', '\($1)', true)" }.joined(separator: ", ")), \
        case when pg_catalog.current_setting('synchronous_commit') operator(pg_catalog.=) 'off' then pg_catalog.set_config('synchronous_commit', 'on', true) end
        """
    }
  }
#endif
