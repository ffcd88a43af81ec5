import Foundation
import Millrace
import MillraceJournal

extension MonitoringService.Plan {
  /// The log of pulse in its journal.
  private static let key: JournalKey = "pulse"

  /// Opens a store on a journal, and starts it with this plan.
  ///
  /// It begins with an empty state, for a log is the fold of the same state in each process: what the plan asks for is in the log too.
  ///
  /// - Parameters:
  ///   - now: The time on the wall.
  ///   - progress: Called after each page of the log.
  /// - Throws: `JournalError`, when the log cannot be read or is not durable.
  func open(
    _ monitor: PulseMonitor, on journal: any Journal, configuration storeConfiguration: StoreConfiguration,
    options: JournalOptions = JournalOptions(), recorder: PulseRecorder? = nil, now: Date,
    progress: (@Sendable (JournalProgress) -> Void)? = nil
  ) async throws(JournalError) -> Store<PulseMonitor> {
    let store = try await Store.open(
      initial: PulseState(), interactor: monitor, journal: journal, key: Self.key, configuration: storeConfiguration,
      options: options, progress: progress)
    if let recorder { store.setInterceptors([recorder]) }
    if let failure = await store.send(.start(configuration, at: now)).outcome.journalFailure { throw failure }
    return store
  }
}

extension Outcome {
  /// The failure of the journal by which the action ended, or because of which it was not taken; nil for another end.
  var journalFailure: JournalError? {
    switch self {
    case .failed(let error), .rejected(.journal(let error)): error as? JournalError
    case .finished, .timedOut, .cancelled, .superseded, .rejected, .shutDown, .abandoned, .leftOpen: nil
    }
  }
}

/// The progress of reading a journal, which is shown once a second if the reading takes longer than a second.
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
