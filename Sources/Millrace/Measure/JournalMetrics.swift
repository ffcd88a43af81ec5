extension Metrics {
  /// The figures of a store's journal at one time; once the journal has failed, those of that time.
  public struct Journal: Sendable {
    /// The condition of a journal.
    public enum State: String, Sendable, Hashable, CaseIterable {
      /// The journal stored the last records, or has got none yet.
      case writable
      /// The last call failed with a transient error and is being repeated, or it is not known whether it stored its records.
      case unavailable
      /// Nothing more is stored; the store has stopped.
      case failed
    }

    /// The condition of the journal.
    public let state: State

    /// The number of records that were stored since the store was opened.
    public let records: Int

    /// The times from handing records over to the journal until they were durable, retries included; one entry for all records that were
    /// handed over together.
    ///
    /// So `records` divided by the number of entries is the mean number of records that are stored together.
    public let appendTime: Histogram

    /// The number of calls that were made again because the journal was unavailable, since the store was opened.
    public let retries: Int

    /// The number of records that are not durable yet.
    public let unsyncedRecords: Int

    /// The wall time in milliseconds since 1970 before which no record was made that is not durable; nil if all are.
    ///
    /// It is at most the time of one call of the journal too early.
    public let oldestUnsynced: Int64?

    /// The bytes of the records that are not durable yet.
    public let bufferedBytes: Int

    /// The bytes that may wait to be stored; the store takes no more actions while half of them do.
    public let bufferLimit: Int

    /// The wall time in milliseconds since 1970 at which records last became durable; nil before the first.
    public let lastAppend: Int64?

    /// The number of records in the log since its newest snapshot.
    public let logRecords: Int

    /// The payload bytes of the records in the log since its newest snapshot.
    public let logBytes: Int

    /// The wall time in milliseconds since 1970 at which this store last stored a snapshot; nil before the first.
    public let lastSnapshot: Int64?

    /// The number of steps that were stored with an error as their result, since the store was opened.
    public let failedSteps: Int

    package init(
      state: State, records: Int = 0, appendTime: Histogram = Histogram(), retries: Int = 0, unsyncedRecords: Int = 0,
      oldestUnsynced: Int64? = nil, bufferedBytes: Int = 0, bufferLimit: Int = 0, lastAppend: Int64? = nil,
      logRecords: Int = 0, logBytes: Int = 0, lastSnapshot: Int64? = nil, failedSteps: Int = 0
    ) {
      self.state = state
      self.records = records
      self.appendTime = appendTime
      self.retries = retries
      self.unsyncedRecords = unsyncedRecords
      self.oldestUnsynced = oldestUnsynced
      self.bufferedBytes = bufferedBytes
      self.bufferLimit = bufferLimit
      self.lastAppend = lastAppend
      self.logRecords = logRecords
      self.logBytes = logBytes
      self.lastSnapshot = lastSnapshot
      self.failedSteps = failedSteps
    }
  }
}
