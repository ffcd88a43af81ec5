#if Postgres
  import MillraceJournal

  /// The failure of a transaction.
  enum PostgresFailure: Error {
    /// The server has refused a statement, and the transaction changed nothing.
    case refused(state: String, message: String)
    /// The connection has ended, or the server has not answered in time, before it was known whether the transaction was committed.
    case unanswered(String)
    /// The server has committed the transaction, and a standby that has to have it may not have it.
    case doubtful
    /// There is no connection, so nothing was sent.
    case disconnected(String)

    /// The error of a call that only reads.
    var readError: JournalError {
      switch self {
      case .unanswered(let reason), .disconnected(let reason): .unavailable(reason)
      case .refused, .doubtful: error
      }
    }

    /// The error of a call that may have changed something.
    var error: JournalError {
      switch self {
      case .disconnected(let reason): .unavailable(reason)
      case .unanswered(let reason):
        JournalError(
          .unknown,
          "PostgreSQL has not said whether it has stored a transaction: \(reason); look it up, or repeat the call.")
      case .doubtful:
        JournalError(
          .unknown,
          "PostgreSQL has stored a transaction and does not know whether its synchronous standby has it; look it up when the standby is back."
        )
      case .refused(let state, let message): Self.error(state, message)
      }
    }

    /// Whether the server refuses the same transaction again.
    var isLasting: Bool {
      if case .refused = self { !error.isTransient } else { false }
    }

    /// The error of an append, alone in its transaction.
    func error(of append: PendingAppend) -> JournalError {
      // There is a record behind the last one.
      if case .refused(state: "23505", _) = self { return .corrupt(append.key, at: append.last.advanced(by: 1)) }
      return error
    }

    private static func error(_ state: String, _ message: String) -> JournalError {
      let transient =
        ["40P01", "40001", "25006", "55P03", "57014"].contains(state) || state.hasPrefix("53") || state.hasPrefix("57P")
      if transient { return .unavailable(message) }
      return JournalError(
        .failed,
        "PostgreSQL has refused a statement: \(message) (\(state)); mend the reason, and open the journal again.")
    }
  }

  extension JournalError {
    static let readOnly = JournalError(
      .readOnly,
      "The tables were opened to be read alone; open them by 'PostgresJournal(_:options:)' to change something.")

    static func unavailable(_ reason: String) -> JournalError {
      JournalError(.unavailable, "PostgreSQL cannot be used now: \(reason); the call can be repeated.")
    }
  }
#endif
