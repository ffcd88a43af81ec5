import Millrace

/// A journal in the memory of the process, for tests and for stores that need to survive no crash.
///
/// It outlives the stores that use it, and a simulated node that crashes: a test makes it outside and gives it to each life. Each call
/// changes it in one step and suspends before it answers, and an append suspends between its batches too. So a crash of the caller
/// keeps a first part of the batches, or loses only the answer, as a crash does with a journal on a disk.
public final class MemoryJournal: Journal {
  private struct Content {
    var logs: [JournalKey: KeyLog] = [:]
    var isClosed = false
    /// The errors of the next appends, in their order.
    var failures: [JournalError] = []

    /// Changes the log of a key in place; a key without a record or a snapshot is not stored.
    mutating func change<Value>(
      _ key: JournalKey, _ change: (inout KeyLog) throws(JournalError) -> Value
    ) throws(JournalError) -> Value {
      try checkOpen()
      defer { if logs[key]?.isEmpty == true { logs[key] = nil } }
      return try change(&logs[key, default: KeyLog(key)])
    }

    subscript(key: JournalKey) -> KeyLog { logs[key] ?? KeyLog(key) }

    func checkOpen() throws(JournalError) {
      if isClosed { throw .closed }
    }
  }

  /// The largest batch that is stored: 16 MiB unless it was made with another limit.
  public let largestBatch: Int

  private let content = Lock(Content())

  /// Creates an empty journal.
  ///
  /// - Parameter largestBatch: The largest batch in bytes.
  public init(largestBatch: Int = 1 << 24) {
    self.largestBatch = largestBatch
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
    var (stored, last) = (0, last)
    do throws(JournalError) {
      if let failure = content.withLock({ $0.failures.isEmpty ? nil : $0.failures.removeFirst() }) { throw failure }
      for batch in batches {
        last = try change(key) { log throws(JournalError) in
          try log.append(batch, after: last, limit: largestBatch)
        }
        stored += 1
        await Task.yield()
      }
    } catch {
      return JournalAppend(stored: stored, last: last, failure: error)
    }
    return JournalAppend(stored: stored, last: last)
  }

  /// Stores a snapshot, as ``Journal/store(_:of:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func store(_ snapshot: JournalSnapshot, of key: JournalKey) async throws(JournalError) {
    try change(key) { log throws(JournalError) in try log.store(snapshot) }
    await Task.yield()
  }

  /// Removes records, as ``Journal/truncate(_:through:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  @discardableResult
  public func truncate(
    _ key: JournalKey, through sequence: JournalSequence
  ) async throws(JournalError) -> JournalSequence {
    let truncated = try change(key) { log throws(JournalError) in try log.truncate(through: sequence) }
    await Task.yield()
    return truncated
  }

  private func change<Value: Sendable>(
    _ key: JournalKey, _ change: (inout KeyLog) throws(JournalError) -> Value
  ) throws(JournalError) -> Value {
    try content.withLock { content throws(JournalError) in try content.change(key, change) }
  }

  /// Ends the journal; its records are lost.
  ///
  /// Cancellation has no effect.
  public func close() async {
    content.withLock { $0.isClosed = true }
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
      Array(content.logs.keys.filter { candidate in key.map { candidate > $0 } ?? true }.sorted().prefix(1_000))
    }
  }

  private func read<Value: Sendable>(
    _ value: (borrowing Content) throws(JournalError) -> Value
  ) async throws(JournalError) -> Value {
    let value = try content.withLock { content throws(JournalError) in
      try content.checkOpen()
      return try value(content)
    }
    await Task.yield()
    return value
  }
}
