import MillraceFlags
import MillraceJournal

/// The part of a log that was read so far, on a line that is written over.
struct LogProgress {
  let key: JournalKey
  var line = StatusLine.standardError

  init(of key: JournalKey, line: StatusLine = .standardError) {
    self.key = key
    self.line = line
  }

  /// Reads a log that has several pages, shows how far, and removes the line.
  func showing<Value, Failure: Error>(
    _ read: (@escaping ShowsProgress) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    defer { if line.isLive { line.clear() } }
    return try await read { [line, key] progress in
      guard line.isLive, progress.sequence < progress.last else { return }
      line.show("record \(progress.sequence) of \(progress.last) of \(FlagError.quoted(key.name))")
    }
  }
}
