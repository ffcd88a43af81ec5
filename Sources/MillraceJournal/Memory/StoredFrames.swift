/// The file of a `MemoryJournal` in its storage.
struct StoredFrames: Sendable {
  let storage: any JournalStorage
  let name: String

  /// Reads the logs, and cuts off the part of a frame that a crash has left at the end.
  func open() async throws(JournalError) -> [JournalKey: KeyLog] {
    do {
      let bytes = try await storage.read(name) ?? []
      let (frames, count) = try JournalFrame.all(in: bytes, of: name)
      let logs = try Self.logs(frames)
      if count < bytes.count { try await storage.write(Array(bytes.prefix(count)), to: name) }
      // The process before may have written bytes and crashed before it synchronized them.
      try await storage.sync(name)
      return logs
    } catch let error as JournalError {
      throw error
    } catch {
      throw JournalError(
        .cannotOpen, "The storage of the journal cannot be read: \(error); mend it, and open it again.")
    }
  }

  /// Adds a frame, and returns when it is durable.
  func add(_ frame: JournalFrame) async throws(JournalError) {
    try await change { try await storage.append(frame.encoded, to: name) }
  }

  /// Writes the file anew, without the records that were removed.
  func replace(with logs: some Collection<KeyLog> & Sendable) async throws(JournalError) {
    let bytes = logs.sorted { $0.key < $1.key }.flatMap(\.frames).flatMap(\.encoded)
    try await change { try await storage.write(bytes, to: name) }
  }

  private func change(_ write: () async throws -> Void) async throws(JournalError) {
    do {
      try await write()
      try await storage.sync(name)
    } catch {
      throw JournalError(
        .failed,
        """
        The storage of the journal failed: \(error); whether the last batch was stored shows when the journal is opened again.
        """)
    }
  }

  private static func logs(_ frames: [JournalFrame]) throws(JournalError) -> [JournalKey: KeyLog] {
    var logs: [JournalKey: KeyLog] = [:]
    for frame in frames {
      switch frame {
      case .records(let key, let records): try logs[key, default: KeyLog(key)].add(records)
      case .snapshot(let key, let snapshot): _ = try logs[key, default: KeyLog(key)].keep(snapshot)
      case .base(let key, let truncated, let chain, let epoch):
        logs[key] = KeyLog(key, truncated: truncated, chain: RecordChain(continuing: chain), epoch: epoch)
      }
    }
    return logs
  }
}

extension KeyLog {
  /// The frames that lead to this log.
  fileprivate var frames: [JournalFrame] {
    var frames = [
      JournalFrame.base(
        key, truncated: truncated, chain: truncatedChain.value, epoch: epoch.map { ($0.sequence, $0.payload) }),
      .records(key, records),
    ]
    if let snapshot { frames.append(.snapshot(key, snapshot)) }
    return frames
  }
}
