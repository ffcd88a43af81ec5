import Foundation
import MillraceFlags
import MillraceJournal
import MillraceRecording

/// Lists of the open runs of keys.
struct JournalRuns<Types: JournalTypes> {
  let journal: any PartitionedJournal
  let types: Types
  /// The words before the name of a command, for errors.
  let command: String
  /// The journal's place as the subject of a sentence.
  let place: String
  /// The wall time in milliseconds since 1970.
  let now: Int64
  /// The line with the number of keys that were read.
  var line = StatusLine.standardError

  static var headings: String { line("RECORD", "TAKEN UP", "AGE", "RECOVERY", "DEATHS", "KEY") }

  /// Lists the open runs of a key, each with a line for its action, its idempotency key and each of its steps.
  func list(_ key: JournalKey, _ write: (String) throws -> Void) async throws {
    for run in try await open(key) { try write(text(of: run, key)) }
  }

  /// Lists the open runs of all keys under a line of headings.
  ///
  /// - Throws: ``CommandFailure`` once all keys are read, if some of them cannot be read.
  func all(of stores: String?, _ write: (String) throws -> Void) async throws {
    try write(Self.headings + "\n")
    try await readable(of: stores, prefix: "") { key in try await list(key) { try writeBelow($0, write) } }
  }

  /// Lists the keys that have open runs, each behind their number.
  ///
  /// - Throws: ``CommandFailure`` once all keys are read, if some of them cannot be read.
  func keys(of stores: String?, prefix: String, _ write: (String) throws -> Void) async throws {
    try await readable(of: stores, prefix: prefix) { key in
      let count = try await open(key).count
      if count > 0 {
        try writeBelow("\("\(count)".padded(to: 8, isNumber: true))  \(key.name.shownOnOneLine())\n", write)
      }
    }
  }

  /// Writes in the place of the line with the number of keys.
  private func writeBelow(_ text: String, _ write: (String) throws -> Void) throws {
    if line.isLive { line.clear() }
    try write(text)
  }

  /// Shows keys, and continues behind those that cannot be read.
  private func readable(
    of stores: String?, prefix: String, _ show: (JournalKey) async throws -> Void
  ) async throws {
    var failures: [CommandFailure] = []
    var count = 0
    defer { if line.isLive { line.clear() } }
    let lists = JournalLists(journal: journal, command: command, place: place)
    try await lists.keys(of: stores, prefix: prefix) { key in
      count += 1
      if count.isMultiple(of: 100) {
        line.show("\(count) keys are read, the last one is \(FlagError.quoted(key.name))")
      }
      do {
        try await show(key)
      } catch let error as JournalError where error.code == .corrupt {
        failures.append(CommandFailure(error))
      } catch let failure as CommandFailure where failure.code == EX_DATAERR {
        failures.append(failure)
      }
    }
    guard failures.isEmpty else {
      throw CommandFailure(failures.map(\.sentence).joined(separator: "\n"), code: EX_DATAERR)
    }
  }

  /// The open runs of a key.
  ///
  /// - Throws: ``CommandFailure`` for a log of another coder than the types have.
  func open(_ key: JournalKey) async throws -> [LoggedOpenRun] {
    do {
      return try await LogProgress(of: key).showing { show throws(JournalError) in
        try await types.openRuns(of: key, in: journal, show)
      }
    } catch {
      guard let sentence = await otherCoder(error, key) else { throw error }
      throw CommandFailure(sentence, code: EX_DATAERR)
    }
  }

  /// The sentence for a log without JSON that is read as JSON; nil for another error.
  private func otherCoder(_ error: JournalError, _ key: JournalKey) async -> String? {
    guard !Types.knowsCoder, error.code == .corrupt, let sequence = error.sequence, sequence > .start else {
      return nil
    }
    let before = JournalSequence(sequence.number - 1)
    let record = try? await journal.records(of: key, after: before, upTo: 1).records.first
    let payload: [UInt8]
    if let record {
      payload = record.entry.payload
    } else if let snapshot = try? await journal.snapshot(of: key) {
      payload = snapshot.payload
    } else {
      return nil
    }
    guard JournalJSON(payload) == nil else { return nil }
    return """
      The log of \(FlagError.quoted(key.name)) in \(place) is no JSON at \(sequence), so it is of another coder than the \
      default one, which only its service has; give the service a journal command of its own, with that coder in its options.
      """
  }

  private func text(of run: LoggedOpenRun, _ key: JournalKey) -> String {
    var lines = [
      Self.line(
        "\(run.record)", run.time.map { "\(WallTimeText($0))" } ?? "-", run.time.map(age) ?? "-",
        run.recoveryLimit == 0 ? "abandon" : "again \(run.recoveryLimit)", "\(run.deaths)", key.name)
    ]
    if let json = JournalJSON(run.payload)?.action {
      lines.append("  action  \(RecordingTexts<UntypedService>.shortened(json))")
    }
    lines.append("  key     \(run.key)")
    lines += run.joinedKeys.map { "  joined  \($0)" }
    lines += run.steps.map { step in
      let due = step.due.map { ", until \(WallTimeText($0))" } ?? ""
      let failure = step.failure.map { ", failed: \(RecordingTexts<UntypedService>.shortened($0))" } ?? ""
      return "  \(step.kind.padded(to: 6))  \(step.name)\(due)\(failure)"
    }
    return lines.map { $0.shownOnOneLine() + "\n" }.joined()
  }

  /// The time since a wall time in its largest unit; of a time before 1970, which no store writes, that since 1970.
  private func age(_ time: Int64) -> String { JournalMembers.age(Int(max(now - max(time, 0), 0) / 1_000)) }

  private static func line(
    _ record: String, _ time: String, _ age: String, _ recovery: String, _ deaths: String, _ key: String
  ) -> String {
    [
      record.padded(to: 8, isNumber: true), time.padded(to: 24), age.padded(to: 5, isNumber: true),
      recovery.padded(to: 8),
      deaths.padded(to: 6, isNumber: true), key,
    ].joined(separator: "  ")
  }
}
