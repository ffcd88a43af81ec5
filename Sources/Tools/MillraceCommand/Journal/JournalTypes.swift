import Foundation
import Millrace
import MillraceFlags
import MillraceJournal
import MillraceRecording

/// The types of a service whose logs a command reads, or none.
protocol JournalTypes: Sendable {
  /// The purposes of the commands `state` and `export`, in a sentence each.
  static var stateSummary: String { get }
  static var exportSummary: String { get }

  /// Whether logs are decoded by the coder that wrote them, and not by the one for JSON at a guess.
  static var knowsCoder: Bool { get }

  /// Reads the runs of a log that have not ended; calls `progress` after each page of it.
  func openRuns(
    of key: JournalKey, in journal: any Journal, _ progress: @escaping ShowsProgress
  ) async throws(JournalError) -> [LoggedOpenRun]

  /// Returns the entry that ends an open run as abandoned, and the record behind which it belongs; nil if no such run is open.
  func abandonment(
    of run: JournalSequence, _ key: JournalKey, in journal: any Journal
  ) async throws(JournalError) -> (entry: JournalEntry, last: JournalSequence)?

  /// Reads the state of a log after a record, or refuses to.
  ///
  /// - Parameters:
  ///   - end: the record; nil for the end of the log.
  ///   - progress: called after each page of the log.
  /// - Throws: ``JournalError``, or ``CommandFailure`` for a state that has no JSON.
  func state(
    of key: JournalKey, in journal: any Journal, at end: JournalSequence?, _ progress: @escaping ShowsProgress
  ) async throws -> StateAnswer

  /// Creates the lines of a recording of a log, or refuses to; calls `progress` after each page of it.
  func export(
    _ key: JournalKey, from journal: any Journal, _ progress: @escaping ShowsProgress
  ) async throws -> ExportAnswer
}

/// Shows how far a log was read.
typealias ShowsProgress = @Sendable (JournalProgress) -> Void

/// The answer to a request for a recording.
enum ExportAnswer {
  /// The lines of the recording.
  case lines(Data)

  /// The reason for which no recording can be made, with the fix.
  case refused(CommandFailure)
}

/// The answer to a request for a state.
enum StateAnswer {
  /// The state as JSON of several lines, with its place in the log.
  case state(json: String, sequence: JournalSequence, revision: Int)

  /// The reason for which no state can be made, with the fix.
  case refused(CommandFailure)
}

/// No types: the actions, mutations and states of a log are skipped.
struct UntypedJournal: JournalTypes {
  static let stateSummary = "Says how a service shows the states of its own journal, for that needs its reducer."
  static let exportSummary = "Says how a service makes recordings of its own journal, for that needs its types."
  static let knowsCoder = false

  /// The words before the name of a command, for errors.
  let command: String

  func openRuns(
    of key: JournalKey, in journal: any Journal, _ progress: @escaping ShowsProgress
  ) async throws(JournalError) -> [LoggedOpenRun] {
    try await StoredLog(untyped: key, in: journal).openRuns(progress)
  }

  func abandonment(
    of run: JournalSequence, _ key: JournalKey, in journal: any Journal
  ) async throws(JournalError) -> (entry: JournalEntry, last: JournalSequence)? {
    try await StoredLog(untyped: key, in: journal).abandonment(of: run)
  }

  func state(
    of key: JournalKey, in journal: any Journal, at end: JournalSequence?, _ progress: @escaping ShowsProgress
  ) -> StateAnswer {
    .refused(refusal("state", needs: "the reducer"))
  }

  func export(_ key: JournalKey, from journal: any Journal, _ progress: @escaping ShowsProgress) -> ExportAnswer {
    .refused(refusal("export", needs: "the types"))
  }

  private func refusal(_ word: String, needs: String) -> CommandFailure {
    CommandFailure(
      """
      \(command) \(word) needs \(needs) of the service, which no other program has; give the service a command of its own, and run \
      that with journal \(word). These three lines are all of it, with the module and the interactor of the service:

        import MillraceCommand
        import Shop
        await MillraceCommand.main(Shop.self, initial: Shop.State())
      """, code: EX_USAGE)
  }
}

/// The types of a service, and how its stores are opened.
struct ServiceJournal<I: Interactor>: JournalTypes where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  static var stateSummary: String { "Shows the state of a key at the end of its log, or after a record, as JSON." }
  static var exportSummary: String { "Writes a recording of a key to standard output." }
  static var knowsCoder: Bool { true }

  let initial: I.State
  let schema: StoreSchema<I>
  let options: JournalOptions
  /// The redaction of exported recordings; nil for none.
  var redaction: Redaction<I>?

  /// Whether runs are read without the types: values of JSON can be skipped, also those of versions that the schema does not have.
  private var skipsValues: Bool { options.coder is JSONJournalCoder }

  private func log(_ key: JournalKey, _ journal: any Journal) -> StoredLog<I> {
    StoredLog(journal, key: key, initial: initial, schema: schema, options: options)
  }

  func openRuns(
    of key: JournalKey, in journal: any Journal, _ progress: @escaping ShowsProgress
  ) async throws(JournalError) -> [LoggedOpenRun] {
    if skipsValues { return try await StoredLog(untyped: key, in: journal).openRuns(progress) }
    return try await log(key, journal).openRuns(progress)
  }

  func abandonment(
    of run: JournalSequence, _ key: JournalKey, in journal: any Journal
  ) async throws(JournalError) -> (entry: JournalEntry, last: JournalSequence)? {
    if skipsValues {
      return try await StoredLog(untyped: key, in: journal).abandonment(of: run)
    }
    return try await log(key, journal).abandonment(of: run)
  }

  func export(
    _ key: JournalKey, from journal: any Journal, _ progress: @escaping ShowsProgress
  ) async throws -> ExportAnswer {
    let (events, end) = try await log(key, journal).history(progress)
    return .lines(try Recording(of: events, end: end, redaction: redaction).jsonLines())
  }

  func state(
    of key: JournalKey, in journal: any Journal, at end: JournalSequence?, _ progress: @escaping ShowsProgress
  ) async throws -> StateAnswer {
    let found = try await log(key, journal).state(at: end, progress)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      let json = String(decoding: try encoder.encode(found.state), as: UTF8.self)
      return .state(json: json, sequence: found.sequence, revision: found.revision)
    } catch {
      throw CommandFailure(
        """
        The state of \(FlagError.quoted(key.name)) has no JSON: \(RecordingError.reason(ofEncoding: error)); let the state encode every \
        value.
        """, code: EX_SOFTWARE)
    }
  }
}
