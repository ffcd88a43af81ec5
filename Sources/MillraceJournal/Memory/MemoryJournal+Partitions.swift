extension MemoryJournal: PartitionedJournal {
  /// The number of partitions with which the journal was made.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func partitions(of stores: String) async throws(JournalError) -> Int {
    try await read { _ in partitionCount }
  }

  /// Makes the caller the one writer of a partition, as ``PartitionedJournal/claim(_:as:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func claim(
    _ partition: JournalPartition, as owner: JournalEpoch
  ) async throws(JournalError) -> JournalClaim {
    let claim = try change { content throws(JournalError) in
      try content.claim(partition, as: owner, among: partitionCount)
    }
    await Task.yield()
    return claim
  }

  /// Stores batches of several keys, as ``PartitionedJournal/append(_:claim:)`` says.
  ///
  /// Cancellation has no effect.
  public func append(_ appends: [JournalKeyAppend], claim: JournalClaim) async -> [JournalAppend] {
    do {
      try failIfPlanned()
    } catch {
      return appends.map { JournalAppend(stored: 0, last: $0.last, failure: error) }
    }
    var results: [JournalAppend] = []
    for part in appends {
      results.append(await append(part, claim: claim))
    }
    return results
  }

  /// Reads the keys that are due, as ``PartitionedJournal/due(in:before:after:upTo:)`` says.
  ///
  /// It looks at all keys of the journal. Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func due(
    in partition: JournalPartition, before time: Int64, after due: JournalDue?, upTo count: Int
  ) async throws(JournalError) -> [JournalDue] {
    try await read { $0.due(before: time, after: due, upTo: count) { self.holds(partition, $0) } }
  }

  /// Reads the wake time of a key, as ``PartitionedJournal/wake(of:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func wake(of key: JournalKey) async throws(JournalError) -> Int64? { try await read { $0[key].wake } }

  /// Reads the last positions of all partitions, as ``PartitionedJournal/positions(of:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func positions(of stores: String) async throws(JournalError) -> [Int: JournalPosition] {
    try await read { $0.positions(of: stores) }
  }

  /// Reads what a partition has behind a position, as ``PartitionedJournal/records(ofPartition:after:upTo:)`` says.
  ///
  /// It looks at all keys of the journal. Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func records(
    ofPartition partition: JournalPartition, after position: JournalPosition, upTo byteCount: Int
  ) async throws(JournalError) -> JournalPartitionPage {
    try await read { content throws(JournalError) in
      try content.page(of: partition, after: position, upTo: byteCount) { self.holds(partition, $0) }
    }
  }

  /// Reads keys of many stores, as ``PartitionedJournal/keys(of:prefix:after:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func keys(of stores: String, prefix: String, after name: String?) async throws(JournalError) -> [JournalKey] {
    let before = name.map { JournalKey($0, of: stores) }
    return try await read { content in
      content.keys { key in
        key.stores?.utf8.elementsEqual(stores.utf8) == true && key.name.utf8.starts(with: prefix.utf8)
          && before.map { key > $0 } ?? true
      }
    }
  }

  /// Removes everything of a key, as ``PartitionedJournal/erase(_:claim:)`` says.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError``.
  public func erase(_ key: JournalKey, claim: JournalClaim?) async throws(JournalError) {
    try change { content throws(JournalError) in
      if let claim {
        try content.check(claim, for: key, among: partitionCount)
      } else if key.stores != nil {
        throw .otherPartition(key, nil)
      }
      content.erase(key, in: claim?.partition)
    }
    await Task.yield()
  }

  private func holds(_ partition: JournalPartition, _ key: JournalKey) -> Bool {
    guard let stores = key.stores else { return false }
    return JournalPartition(of: stores, holding: key.name, among: partitionCount) == partition
  }
}
