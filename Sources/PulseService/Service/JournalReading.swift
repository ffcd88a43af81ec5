import Millrace
import MillraceJournal

/// Says how far a journal is read, when that takes longer than a second, and then once a second.
final class JournalReading: Sendable {
  /// The time from one line to the next.
  private static let interval: Duration = .seconds(1)

  private let stopwatch: Stopwatch
  private let due = Lock(JournalReading.interval)
  private let say: @Sendable (String) -> Void

  /// Starts now; `say` is called on the thread that reads.
  init(_ clock: any Clock<Duration>, say: @escaping @Sendable (String) -> Void) {
    stopwatch = Stopwatch(clock)
    self.say = say
  }

  /// Notes that records up to this one of all there are have been read.
  func show(_ sequence: UInt64, of last: UInt64) {
    let elapsed = stopwatch.elapsed
    let isDue = due.withLock { due in
      guard elapsed >= due else { return false }
      due = elapsed + Self.interval
      return true
    }
    if isDue { say("pulse has read \(sequence) of \(last) records of its journal.") }
  }
}
