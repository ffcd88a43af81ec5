/// A journal in the memory of the process, for tests and for stores that need to survive no crash.
///
/// With a ``JournalStorage`` it keeps its bytes there as well, and each call returns once they are synchronized, so a simulated crash
/// loses the same bytes as a real crash. Opening reads the whole storage, so this serves for tests with small logs.
public actor MemoryJournal: Journal {
  /// The largest batch that is stored: 16 MiB unless it was opened with another limit.
  public nonisolated let largestBatch: Int

  private let file: StoredFrames?
  private var logs: [JournalKey: KeyLog] = [:]
  /// The reason for which nothing more is stored.
  private var refusal: JournalError?
  private var isBusy = false
  private var line: [CheckedContinuation<Void, Never>] = []

  /// Makes an empty journal that ends with the process.
  ///
  /// - Parameter largestBatch: The largest batch in bytes.
  public init(largestBatch: Int = 1 << 24) {
    self.largestBatch = largestBatch
    file = nil
  }

  /// Opens the journal that a storage holds, or begins one there.
  ///
  /// Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - storage: The storage; no other journal may use the same file meanwhile.
  ///   - file: The name of the file.
  ///   - largestBatch: The largest batch in bytes.
  /// - Throws: ``JournalError``: ``JournalError/Code/cannotOpen`` if the storage cannot be read or written, and
  ///   ``JournalError/Code/corrupt`` if its bytes have changed since they were written. Nothing is changed then.
  public init(
    storage: some JournalStorage, file: String = "journal", largestBatch: Int = 1 << 24
  ) async throws(JournalError) {
    self.largestBatch = largestBatch
    let frames = StoredFrames(storage: storage, name: file)
    self.file = frames
    logs = try await frames.open()
  }

  /// Stores batches, as ``Journal/append(_:to:after:)`` says.
  ///
  /// Cancellation has no effect.
  public func append(
    _ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence
  ) async -> JournalAppend {
    await enter()
    defer { leave() }
    var (stored, last) = (0, last)
    do throws(JournalError) {
      for batch in batches {
        try checkUsable()
        var log = logs[key] ?? KeyLog(key)
        let records = try log.records(of: batch, after: last, limit: largestBatch)
        if !records.isEmpty {
          try await keep(.records(key, records))
          try log.add(records)
          logs[key] = log
        }
        stored += 1
        last = log.last
      }
    } catch {
      return JournalAppend(stored: stored, last: last, failure: error)
    }
    return JournalAppend(stored: stored, last: last)
  }

  /// Reads records, as ``Journal/records(of:after:upTo:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func records(
    of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int
  ) throws(JournalError) -> JournalPage {
    try checkUsable()
    return try logs[key]?.page(after: sequence, upTo: byteCount) ?? JournalPage(records: [], last: .start)
  }

  /// Reads the last sequence of a key.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func lastSequence(of key: JournalKey) throws(JournalError) -> JournalSequence {
    try checkUsable()
    return logs[key]?.last ?? .start
  }

  /// Reads the newest snapshot of a key.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func snapshot(of key: JournalKey) throws(JournalError) -> JournalSnapshot? {
    try checkUsable()
    return logs[key]?.snapshot
  }

  /// Stores a snapshot, as ``Journal/store(_:of:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func store(_ snapshot: JournalSnapshot, of key: JournalKey) async throws(JournalError) {
    await enter()
    defer { leave() }
    try checkUsable()
    var log = logs[key] ?? KeyLog(key)
    guard try log.keep(snapshot) else { return }
    try await keep(.snapshot(key, snapshot))
    logs[key] = log
  }

  /// Removes records, as ``Journal/truncate(_:through:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func truncate(_ key: JournalKey, through sequence: JournalSequence) async throws(JournalError) {
    await enter()
    defer { leave() }
    try checkUsable()
    var log = logs[key] ?? KeyLog(key)
    guard try log.truncate(through: sequence) else { return }
    if let file {
      var others = logs
      others[key] = log
      do throws(JournalError) { try await file.replace(with: others.values) } catch { throw refuse(error) }
    }
    logs[key] = log
  }

  /// Reads keys, as ``Journal/keys(after:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func keys(after key: JournalKey?) throws(JournalError) -> [JournalKey] {
    try checkUsable()
    return Array(logs.keys.filter { candidate in key.map { candidate > $0 } ?? true }.sorted().prefix(1_000))
  }

  /// Ends the journal; its records are lost unless it has a storage.
  ///
  /// Cancellation has no effect.
  public func close() async {
    await enter()
    defer { leave() }
    refusal = refusal ?? .closed
  }

  private func checkUsable() throws(JournalError) {
    if let refusal { throw refusal }
  }

  private func keep(_ frame: JournalFrame) async throws(JournalError) {
    guard let file else { return }
    do throws(JournalError) { try await file.add(frame) } catch { throw refuse(error) }
  }

  /// Stores nothing more after an error of the storage, because it is not known what the storage holds.
  private func refuse(_ error: JournalError) -> JournalError {
    refusal = error
    return error
  }

  /// Waits until no other call changes the log; calls come in their order.
  private func enter() async {
    if isBusy { await withCheckedContinuation { line.append($0) } } else { isBusy = true }
  }

  private func leave() {
    if line.isEmpty { isBusy = false } else { line.removeFirst().resume() }
  }
}
