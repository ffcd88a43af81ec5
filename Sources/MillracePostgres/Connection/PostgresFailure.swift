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

    /// The reason, as the middle of a sentence.
    var reason: String {
      switch self {
      case .unanswered(let reason), .disconnected(let reason), .refused(_, let reason): reason
      case .doubtful: "a commit did not wait for its standby"
      }
    }

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

    /// Whether the connection can be used after the failure.
    ///
    /// A server that has become read-only, or shuts down, refuses every statement of the connection, while another server may be behind the same address.
    var leavesConnection: Bool {
      guard case .refused(let state, _) = self else { return false }
      return !["25006", "25P02"].contains(state) && !state.hasPrefix("57P0")
    }

    /// Whether a state is the answer of a pooler whose server is gone, which leaves open whether the server has committed.
    static func isOfPooler(_ state: String) -> Bool { state.hasPrefix("08") || state == "58000" }

    /// Whether the server, or the role, does not have a function.
    var isOfFunction: Bool {
      guard case .refused(let state, _) = self else { return false }
      return ["42501", "0A000", "55000", "42883"].contains(state)
    }

    /// Whether a row that another transaction has locked is the reason.
    var isOfLock: Bool {
      if case .refused(state: "55P03", _) = self { true } else { false }
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
        ["40P01", "40001", "25006", "25P02", "55P03", "57014"].contains(state) || state.hasPrefix("53")
        || state.hasPrefix("57P")
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
