import Millrace

/// A journal in the memory of the process, for tests and for stores that need to survive no crash.
///
/// It outlives the stores that use it, and a simulated node that crashes: a test makes it outside and gives it to each life. Each call
/// changes it in one step and suspends before it answers, and an append suspends between its batches too. So a crash of the caller
/// keeps a first part of the batches, or loses only the answer, as a crash does with a journal on a disk.
public final class MemoryJournal: Journal {
  /// The largest batch that is stored: 16 MiB unless it was made with another limit.
  public let largestBatch: Int

  /// The number of partitions of many stores.
  let partitionCount: Int

  /// The time by which leases end.
  let time: TimeSource
  private let content = Lock(MemoryContent())
  private let waiting = JournalChanges()

  /// Creates an empty journal.
  ///
  /// - Parameters:
  ///   - largestBatch: The largest batch in bytes.
  ///   - partitions: The number of partitions of many stores with one name, at least 1: a number above 1 shows in a test what a journal with many
  ///     partitions does.
  ///   - clock: The clock by which the leases of members end.
  public init(
    largestBatch: Int = 1 << 24, partitions: Int = 1, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.largestBatch = largestBatch
    time = TimeSource(clock)
    partitionCount = max(partitions, 1)
  }

  // MARK: Failures

  /// Fails the next append, which then stores nothing; a second call fails the append after that one, and so on.
  ///
  /// A store repeats an append whose error is transient, and a final error stops it; see ``JournalError/isTransient``. The journal
  /// itself continues, so that the next store can open it.
  ///
  /// - Parameter error: The error of the append, such as `JournalError(.unavailable, "The disk does not answer; try again.")`.
  public func failNext(_ error: JournalError) {
    content.withLock { $0.failures.append(error) }
  }

  // MARK: Writing

  /// Stores batches, as ``Journal/append(_:to:after:)`` says.
  ///
  /// Cancellation has no effect.
  public func append(
    _ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence
  ) async -> JournalAppend {
    do throws(JournalError) {
      if key.stores != nil { throw .otherPartition(key, nil) }
      try failIfPlanned()
    } catch {
      return JournalAppend(stored: 0, last: last, failure: error)
    }
    return await append(JournalKeyAppend(batches, to: key, after: last), claim: nil)
  }

  /// Throws the error that a test has planned for this append.
  func failIfPlanned() throws(JournalError) {
    if let failure = content.withLock({ $0.failures.isEmpty ? nil : $0.failures.removeFirst() }) { throw failure }
  }

  /// Stores batches of a key one after the other, until one is refused.
  ///
  /// - Parameter claim: The claim of the key's partition; nil for a single store.
  func append(_ part: JournalKeyAppend, claim: JournalClaim?) async -> JournalAppend {
    var (stored, last) = (0, part.last)
    for batch in part.batches {
      do throws(JournalError) {
        last = try change { [last] content throws(JournalError) in
          if let claim { try content.check(claim, for: part.key, among: partitionCount) }
          return try content.append(batch, to: part.key, after: last, limit: largestBatch, in: claim?.partition)
        }
      } catch {
        return JournalAppend(stored: stored, last: last, failure: error)
      }
      stored += 1
      await Task.yield()
    }
    return JournalAppend(stored: stored, last: last)
  }

  /// Stores a snapshot, as ``Journal/store(_:of:truncatingBefore:keeping:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  @discardableResult
  public func store(
    _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?, keeping byteCount: Int
  ) async throws(JournalError) -> JournalSequence {
    let removed = try change { content throws(JournalError) in
      try content.change(key) { log throws(JournalError) in try log.store(snapshot) }
      guard let time else { return JournalSequence.start }
      return try content.truncate(key, through: snapshot.sequence, before: time, keeping: byteCount)
    }
    await Task.yield()
    return removed
  }

  /// Removes records, as ``Journal/truncate(_:through:before:keeping:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  @discardableResult
  public func truncate(
    _ key: JournalKey, through sequence: JournalSequence, before time: Int64, keeping byteCount: Int
  ) async throws(JournalError) -> JournalSequence {
    let truncated = try change { content throws(JournalError) in
      try content.truncate(key, through: sequence, before: time, keeping: byteCount)
    }
    await Task.yield()
    return truncated
  }

  /// Changes the content in one step.
  func change<Value: Sendable>(
    _ change: (inout MemoryContent) throws(JournalError) -> Value
  ) throws(JournalError) -> Value {
    let value = try content.withLock { content throws(JournalError) in
      try content.checkOpen()
      return try change(&content)
    }
    waiting.note()
    return value
  }

  /// Ends the journal; its records are lost.
  ///
  /// Cancellation has no effect.
  public func close() async {
    content.withLock { $0.isClosed = true }
    waiting.end()
  }

  /// Waits for changes, as ``Journal/changes()`` says.
  ///
  /// Cancellation ends the sequence.
  ///
  /// - Throws: ``JournalError``.
  public func changes() async throws(JournalError) -> AsyncStream<Void> {
    try await read { _ in waiting.sequence() }
  }

  // MARK: Reading

  /// Reads records, as ``Journal/records(of:after:upTo:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func records(
    of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int
  ) async throws(JournalError) -> JournalPage {
    try await read { content throws(JournalError) in try content[key].page(after: sequence, upTo: byteCount) }
  }

  /// Reads the last sequence of a key.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func lastSequence(of key: JournalKey) async throws(JournalError) -> JournalSequence {
    try await read { $0[key].last }
  }

  /// Reads the newest snapshot of a key.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func snapshot(of key: JournalKey) async throws(JournalError) -> JournalSnapshot? {
    try await read { $0[key].snapshot }
  }

  /// Reads keys, as ``Journal/keys(after:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func keys(after key: JournalKey?) async throws(JournalError) -> [JournalKey] {
    try await read { content in
      content.keys { candidate in candidate.stores == nil && key.map { candidate > $0 } ?? true }
    }
  }

  /// Reads the content as it is at one time.
  func read<Value: Sendable>(
    _ value: (borrowing MemoryContent) throws(JournalError) -> Value
  ) async throws(JournalError) -> Value {
    let value = try content.withLock { content throws(JournalError) in
      try content.checkOpen()
      return try value(content)
    }
    await Task.yield()
    return value
  }
}
