/// The logs and the partitions of a journal in memory, whose methods do one step each.
struct MemoryContent: Sendable {
  /// A partition of many stores.
  struct Partition: Sendable {
    /// The number of claims, and who made the last one.
    var epoch: UInt64 = 0
    var owner: JournalEpoch?
    /// The member that made the last claim; nil for a process that is none, and once the partition was released.
    var member: JournalMember.ID?
    /// The last position that a record or an erasure has.
    var position = JournalPosition.start
  }

  private var logs: [JournalKey: KeyLog] = [:]
  private(set) var partitions: [JournalPartition: Partition] = [:]
  private var erased: [JournalKeyDigest: (ErasedKey, JournalPartition?)] = [:]
  var leases = MemberLeases()
  var isClosed = false
  /// The errors of the next appends, in their order.
  var failures: [JournalError] = []

  func checkOpen() throws(JournalError) {
    if isClosed { throw .closed }
  }

  /// The log of a key; an empty one if it has none, which begins behind its end if it was erased.
  subscript(key: JournalKey) -> KeyLog {
    if let log = logs[key] { return log }
    guard !erased.isEmpty, let (erased, _) = erased[key.digest] else { return KeyLog(key) }
    return KeyLog(key, erased: erased)
  }

  /// Up to 1,000 keys, in their order.
  func keys(where isListed: (JournalKey) -> Bool) -> [JournalKey] {
    Array(logs.keys.filter(isListed).sorted().prefix(largestPage))
  }

  /// Changes the log of a key in place; a key without a record or a snapshot is not stored.
  mutating func change<Value>(
    _ key: JournalKey, _ change: (inout KeyLog) throws(JournalError) -> Value
  ) throws(JournalError) -> Value {
    let isNew = logs[key] == nil
    let blank = isNew ? self[key] : KeyLog(key)
    defer {
      if logs[key]?.isEmpty == true {
        logs[key] = nil
      } else if isNew, !erased.isEmpty, erased[key.digest]?.0.position == nil {
        erased[key.digest] = nil
      }
    }
    return try change(&logs[key, default: blank])
  }

  /// Stores a batch, and moves the position of the partition; nil for the key of a single store.
  mutating func append(
    _ batch: JournalBatch, to key: JournalKey, after last: JournalSequence, limit: Int, in partition: JournalPartition?
  ) throws(JournalError) -> JournalSequence {
    let position = partition.map { partitions[$0]?.position ?? .start }
    let (end, moved) = try change(key) { log throws(JournalError) in
      var moved = position
      return (try log.append(batch, after: last, limit: limit, &moved), moved)
    }
    if let partition, let moved { partitions[partition]?.position = moved }
    return end
  }

  /// Removes records, and the erasure of an earlier life with the first ones that are removed by their time.
  mutating func truncate(
    _ key: JournalKey, through sequence: JournalSequence, before time: Int64, keeping byteCount: Int
  ) throws(JournalError) -> JournalSequence {
    let (end, isByTime) = try change(key) { log throws(JournalError) in
      try log.truncate(through: sequence, before: time, keeping: byteCount)
    }
    if isByTime { erased[key.digest] = nil }
    return end
  }

  // MARK: Partitions

  mutating func claim(
    _ partition: JournalPartition, as owner: JournalEpoch, among count: Int
  ) throws(JournalError) -> JournalClaim {
    guard 0..<count ~= partition.number else { throw .noPartition(partition, count: count) }
    return claim(partition, as: owner, nil)
  }

  private mutating func claim(
    _ partition: JournalPartition, as owner: JournalEpoch, _ member: JournalMember.ID?
  ) -> JournalClaim {
    var found = partitions[partition] ?? Partition()
    found.epoch += 1
    (found.owner, found.member) = (owner, member)
    partitions[partition] = found
    return JournalClaim(partition, epoch: found.epoch)
  }

  // MARK: Shares

  func shares(of stores: String, at now: Int64) -> JournalShares {
    var owners: [Int: JournalShares.Owner] = [:]
    for (partition, found) in partitions where partition.stores.utf8.elementsEqual(stores.utf8) {
      owners[partition.number] = JournalShares.Owner(found.member, epoch: found.epoch)
    }
    return JournalShares(members: leases.members(of: stores, at: now), owners: owners)
  }

  /// Takes the partitions that are free, or the member's own.
  mutating func take(_ numbers: [Int], as member: JournalMember, at now: Int64) -> [JournalClaim] {
    guard leases.isLive(member.id, at: now) else { return [] }
    return numbers.compactMap { number in
      let partition = JournalPartition(of: member.stores, number: number)
      let owner = partitions[partition]?.member
      if let owner, owner != member.id, leases.isLive(owner, at: now) { return nil }
      return claim(partition, as: member.process, member.id)
    }
  }

  mutating func release(_ claims: [JournalClaim]) {
    for claim in claims where claim.name == 0 && partitions[claim.partition]?.epoch == claim.epoch {
      partitions[claim.partition]?.member = nil
    }
  }

  /// Checks that a claim is the newest one of its partition, and that the key belongs to that.
  func check(_ claim: JournalClaim, for key: JournalKey, among count: Int) throws(JournalError) {
    let partition = partitions[claim.partition] ?? Partition()
    guard partition.epoch == claim.epoch, claim.name == 0 else {
      throw .fenced(claim, newest: partition.epoch, by: partition.owner)
    }
    guard let stores = key.stores,
      JournalPartition(of: stores, holding: key.name, among: count) == claim.partition
    else { throw .otherPartition(key, claim.partition) }
  }

  func due(
    before time: Int64, after due: JournalDue?, upTo count: Int, where isListed: (JournalKey) -> Bool
  ) -> [JournalDue] {
    let all = logs.values.compactMap { log in log.wake.map { JournalDue(log.key, wake: $0) } }
    return Array(
      all.filter { found in
        found.wake < time && isListed(found.key) && due.map { ($0.wake, $0.key) < (found.wake, found.key) } ?? true
      }.sorted { ($0.wake, $0.key) < ($1.wake, $1.key) }.prefix(max(count, 0)))
  }

  func positions(of stores: String) -> [Int: JournalPosition] {
    let found = partitions.filter { $0.key.stores.utf8.elementsEqual(stores.utf8) }
    return Dictionary(uniqueKeysWithValues: found.map { ($0.key.number, $0.value.position) })
  }

  func page(
    of partition: JournalPartition, after position: JournalPosition, upTo byteCount: Int,
    where isListed: (JournalKey) -> Bool
  ) throws(JournalError) -> JournalPartitionPage {
    let last = partitions[partition]?.position ?? .start
    guard position <= last else { throw .lost(partition, position: position, last: last) }
    var items: [JournalPartitionItem] = erased.compactMap { digest, key in
      guard key.1 == partition, let place = key.0.position, place > position else { return nil }
      return .erased(digest, at: place)
    }
    var previous: JournalRecord.ID?
    for log in logs.values where isListed(log.key) {
      if let removed = log.removed, removed > position {
        items.append(.missed(log.key, through: log.truncated, at: removed))
      }
      for record in log.records {
        if record.position == position { previous = record.id }
        if record.position ?? .start > position { items.append(.record(record, of: log.key)) }
      }
    }
    items.sort { $0.position < $1.position }
    return JournalPartitionPage(items, after: position, last: last, upTo: byteCount, previous: previous)
  }

  mutating func erase(_ key: JournalKey, in partition: JournalPartition?) {
    guard let log = logs[key] else { return }
    var position: JournalPosition?
    if let partition {
      let next = (partitions[partition]?.position ?? .start).next
      partitions[partition]?.position = next
      position = next
    }
    logs[key] = nil
    erased[key.digest] = (ErasedKey(last: log.last.advanced(by: 1), position: position), partition)
  }
}
