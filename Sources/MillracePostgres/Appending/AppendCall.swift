#if Postgres
  import MillraceJournal

  /// Batches of several keys that wait for the thread of appends.
  struct AppendCall: QueuedCall {
    let parts: [JournalKeyAppend]
    /// The claim of the keys' partition; nil for single stores.
    let claim: JournalClaim?
    let finish: @Sendable ([JournalAppend]) -> Void

    var refuse: @Sendable (JournalError) -> Void {
      { [parts, finish] error in finish(parts.map { JournalAppend(stored: 0, last: $0.last, failure: error) }) }
    }
  }

  /// The results of a call, some of whose parts have ended.
  final class AppendResults {
    private let call: AppendCall
    private var results: [JournalAppend?]
    private var missing: Int

    init(_ call: AppendCall) {
      self.call = call
      results = Array(repeating: nil, count: call.parts.count)
      missing = results.count
      if missing == 0 { call.finish([]) }
    }

    func set(_ result: JournalAppend, of part: Int) {
      results[part] = result
      missing -= 1
      if missing == 0 { call.finish(results.compactMap(\.self)) }
    }
  }

  /// The batches of one key that wait to be stored.
  struct PendingAppend {
    let key: JournalKey
    let claim: JournalClaim?
    /// The batches that are not too large, up to the first one that is.
    let batches: ArraySlice<JournalBatch>
    let last: JournalSequence
    /// The reason for which the batch behind them is not stored; nil if there is none.
    private let failure: JournalError?
    private let results: AppendResults
    private let number: Int
    /// Whether the key has no row, as far as is known, so that it begins with this append.
    var begins: Bool
    /// The number of times that it was tried.
    var attempts = 0
    /// The time after which the append is not tried again because its row is locked.
    let deadline: ContinuousClock.Instant
    /// The time before which it is not tried again, and the pause that ends then; nil unless its row was locked.
    var pause: (end: ContinuousClock.Instant, length: Duration)?

    init(
      _ part: JournalKeyAppend, _ claim: JournalClaim?, _ number: Int, of results: AppendResults, limit: Int,
      deadline: ContinuousClock.Instant
    ) {
      self.deadline = deadline
      (key, last) = (part.key, part.last)
      (self.claim, self.number, self.results) = (claim, number, results)
      let count = part.batches.firstIndex { $0.byteCount > limit } ?? part.batches.count
      batches = part.batches.prefix(count)
      failure = count < part.batches.count ? .tooLarge(part.batches[count], limit: limit) : nil
      begins = part.last == .start && batches.contains { !$0.entries.isEmpty }
    }

    /// The sequence of the last record once all batches are stored.
    var end: JournalSequence { last.advanced(by: count) }

    /// The writer that must have stored the record at `last`; nil if the claim tells, or the append takes the log over.
    var expectedWriter: UInt64? {
      guard claim == nil, last > .start, let first = batches.first, first.entries.first?.kind != .epoch else {
        return nil
      }
      return first.id.writer
    }

    /// The number of records.
    var count: Int { batches.reduce(0) { $0 + $1.entries.count } }

    /// The last batch that has records; nil if none has.
    var lastBatch: JournalBatch.ID? { batches.last { !$0.entries.isEmpty }?.id }

    var byteCount: Int { batches.reduce(0) { $0 + $1.byteCount } }

    func didStore() { results.set(JournalAppend(stored: batches.count, last: end, failure: failure), of: number) }

    func fail(_ error: JournalError) {
      results.set(JournalAppend(stored: 0, last: last, failure: error), of: number)
    }
  }
#endif
