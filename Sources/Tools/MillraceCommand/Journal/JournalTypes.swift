import MillraceJournal

/// The types of a service whose logs a command reads, or none.
protocol JournalTypes: Sendable {
  /// Whether logs are decoded by the coder that wrote them, and not by the one for JSON at a guess.
  static var knowsCoder: Bool { get }

  /// Reads the runs of a log that have not ended.
  func openRuns(of key: JournalKey, in journal: any Journal) async throws(JournalError) -> [LoggedOpenRun]
}

/// No types: the actions, mutations and states of a log are skipped.
struct UntypedJournal: JournalTypes {
  static let knowsCoder = false

  func openRuns(of key: JournalKey, in journal: any Journal) async throws(JournalError) -> [LoggedOpenRun] {
    try await StoredLog(untyped: key, in: journal).openRuns()
  }
}
