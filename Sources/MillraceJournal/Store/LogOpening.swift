import Millrace
import MillraceEntries

/// Opens the log of a store: reads it, takes it over, and appends the ends of the open runs that are not handled again.
///
/// The log of one of many stores is the process's own by the claim of its partition, so its opening appends no epoch: the first append does.
struct LogOpening<I: Interactor> where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  let log: StoreLog<I>
  let calls: JournalCalls
  /// The number that the writer has drawn.
  let writer: UInt64
  /// In milliseconds since 1970.
  let wallTime: @Sendable () -> Int64
  let report: @Sendable (Incident) -> Void
  private(set) var restored: Restoration<I>
  /// The runs that have not ended, and are handled again.
  private(set) var runs: [ReadableRun<I.Action>] = []
  /// The runs that stay open, because their actions cannot be decoded.
  private(set) var unreadable: [UnreadableRun] = []
  /// The epoch that the next append brings; nil if the log has it.
  private(set) var epoch: JournalEpoch?
  private var batches: UInt64 = 0
  /// The wall time at which a state needs the key, by its feedbacks.
  private let need: @Sendable (I.State) -> Int64?
  /// The wake time that was appended; nil if none was.
  private(set) var wake: JournalWake?

  /// Whether the store is one of many.
  private var isClaimed: Bool { log.key.stores != nil }

  init(
    _ initial: I.State, _ log: StoreLog<I>, _ calls: JournalCalls, writer: UInt64,
    wallTime: @escaping @Sendable () -> Int64, report: @escaping @Sendable (Incident) -> Void,
    need: @escaping @Sendable (I.State) -> Int64? = { _ in nil }
  ) {
    self.need = need
    self.log = log
    self.calls = calls
    self.writer = writer
    self.wallTime = wallTime
    self.report = report
    restored = Restoration(initial, from: log)
  }

  /// Reads the log to its end, and appends an epoch there.
  ///
  /// - Throws: ``JournalError``. Nothing is changed then, unless the append of the epoch has an unknown result.
  mutating func takeOver(
    as epoch: JournalEpoch, _ progress: (@Sendable (JournalProgress) -> Void)?
  ) async throws(JournalError) {
    var conflict: JournalSequence?
    while true {
      try await restored.readOn(calls, progress)
      (runs, unreadable) = try restored.openRuns()
      do throws(JournalError) {
        return try await append([.epoch(epoch)])
      } catch  where error.code == .conflict && restored.last != conflict {
        // An earlier writer may append until it is fenced, so there is more to read.
        conflict = restored.last
      }
    }
  }

  /// Reads the log of one of many stores to its end, and appends nothing: the epoch comes with the first append.
  ///
  /// - Throws: ``JournalError``.
  mutating func read(for epoch: JournalEpoch) async throws(JournalError) {
    try await restored.readOn(calls, nil)
    (runs, unreadable) = try restored.openRuns()
    self.epoch = epoch
  }

  /// Appends the ends of the runs that are abandoned.
  ///
  /// The others are counted one by one when their handlers start, because what ends the process before is no fault of theirs.
  ///
  /// - Throws: ``JournalError``.
  mutating func abandonRuns(_ interactor: I) async throws(JournalError) {
    var (entries, rest): ([JournalEntry], [ReadableRun<I.Action>]) = ([], [])
    for open in runs {
      let count = open.run.resumed ?? 0
      if count < open.run.takeUp.recoveryLimit {
        rest.append(open)
      } else {
        if open.run.takeUp.handlesAgain { reportLimit(open.run, count) }
        entries.append(try abandon(open, interactor))
      }
    }
    runs = rest
    if !unreadable.isEmpty { reportUnreadable() }
    if !entries.isEmpty { try await append(entries) }
  }

  /// The runs that are handled again, as they are at a wall time, in the order of their take-ups.
  func restoredActions(at now: Int64) -> [RestoredAction<I.Action>] {
    var takenUpAt = Int64.min
    return runs.map { open in
      // The wall time may have been set back between two take-ups.
      takenUpAt = max(takenUpAt, open.run.takeUp.time ?? 0)
      return open.restored(at: now, of: log.key, takenUpAt: takenUpAt)
    }
  }

  /// Reports if the log begins with another initial state than this one.
  func compare(_ initial: InitialState?) {
    guard let initial, let found = restored.foundInitial, found.version == initial.version, found != initial else {
      return
    }
    report(
      Incident(
        .otherInitialState, of: I.Action.self,
        """
        The log of \(log.key.quoted) is folded from another initial state of \(String(reflecting: I.self)) than the process before \
        gave, so the restored state may be another one than it had; open the log with the initial state that it began with, and commit \
        what differs by an action.
        """))
  }

  private mutating func append(_ entries: [JournalEntry]) async throws(JournalError) {
    let time = wallTime()
    let entries = (epoch.map { [.epoch($0)] } ?? []) + entries
    epoch = nil
    let wake = runs.isEmpty && unreadable.isEmpty ? JournalWake(need(restored.state)) : .now
    if isClaimed { self.wake = wake }
    let made = entries.indices.map { index in
      batches += 1
      return JournalBatch(
        id: .init(writer: writer, number: UInt64.max - batches), entries: [entries[index]], time: time,
        wake: isClaimed && index == entries.count - 1 ? wake : .keep)
    }
    var rest = entries[...]
    // A closure cannot change this value while the call is suspended.
    var persisted: [(ArraySlice<JournalEntry>, JournalSequence)] = []
    defer { for (entries, last) in persisted { restored.didPersist(entries, through: last) } }
    try await calls.append(made, after: restored.last) { count, last in
      persisted.append((rest.prefix(count), last))
      rest = rest.dropFirst(count)
    }
  }

  private mutating func abandon(_ open: ReadableRun<I.Action>, _ interactor: I) throws(JournalError) -> JournalEntry {
    let (run, closing) = (open.run, interactor.closing(open.action, outcome: .abandoned))
    return try restored.abandon(run, closing: closing) { [report] error in
      report(
        Incident(
          .unhandledFailure, of: I.Action.self, error: error,
          "The closing mutation of \(String(reflecting: I.self)) for an action of type \(String(reflecting: I.Action.self)) "
            + "that was open in the log (record \(run.sequence)) was not committed, because the journal did not take it: \(error)"
        ))
    }
  }

  private func reportUnreadable() {
    guard let first = unreadable.first else { return }
    let others = unreadable.count == 1 ? "" : " (the first of \(unreadable.count))"
    report(
      Incident(
        .unreadableAction, of: I.Action.self, error: first.reason,
        """
        \(String(reflecting: I.self)) left a run of an action of type \(String(reflecting: I.Action.self)) open in the log\(others), \
        because this program cannot decode it. \(first.reason)
        """))
  }

  private func reportLimit(_ run: LoggedRun, _ count: Int) {
    report(
      Incident(
        .recoveryLimit, of: I.Action.self,
        """
        \(String(reflecting: I.self)) abandoned an action of type \(String(reflecting: I.Action.self)) that was open in the log \
        (record \(run.sequence)), because it was handled again \(count) times in a row without an end; see whether its handler ends the \
        process, or raise the limit of its recovery.
        """))
  }
}
