import Millrace

/// The partitions of the stores of many keys, and those of them that this process owns.
final class OwnedPartitions: Sendable {
  enum Duty: Sendable {
    /// Look who the members and the owners are.
    case look
    case perform([Ownership.Work])
  }

  let stores: String
  let count: Int
  private let ownership: Lock<Ownership>
  /// The duties of the task that shares the partitions.
  let duties: AsyncStream<Duty>
  private let queue: AsyncStream<Duty>.Continuation

  init(of stores: String, _ ownership: Ownership) {
    self.stores = stores
    count = ownership.partitionCount
    self.ownership = Lock(ownership)
    (duties, queue) = AsyncStream.makeStream()
  }

  // MARK: Reading

  var all: [JournalPartition] { (0..<count).map { JournalPartition(of: stores, number: $0) } }

  /// Whether other processes own partitions too.
  var isShared: Bool { ownership.withLock { $0.member != nil } }

  /// The number of the partition that has a key.
  func number(of key: JournalKey) -> Int {
    count == 1 ? 0 : JournalPartition(of: stores, holding: key.name, among: count).number
  }

  func claim(of partition: Int) -> JournalClaim? { ownership.withLock { $0.claim(of: partition) } }

  func owner(of partition: Int) -> JournalMember? { ownership.withLock { $0.owner(of: partition) } }

  /// The reason for which no store of the partition's keys is opened; nil if this process owns it.
  func refusal(of partition: Int) -> Rejection? {
    ownership.withLock { ownership in
      ownership.claim(of: partition) == nil ? .notOwner(ownership.owner(of: partition)?.address) : nil
    }
  }

  /// The reason for which a store of the partition's keys was not opened; nil if it is the error.
  ///
  /// The partition may have been taken again since the claim of the opening has ended.
  func refusal(of partition: Int, after error: JournalError) -> Rejection? {
    refusal(of: partition) ?? (isShared && error.isLoss ? .notOwner(nil) : nil)
  }

  /// The members, and the partitions of this process.
  var counts: (members: Int, owned: Int) {
    ownership.withLock { ($0.shares?.members.count ?? 1, $0.ownedCount) }
  }

  // MARK: Events

  /// Notes an event, and returns the works that follow from it.
  func note(_ event: (inout Ownership) -> [Ownership.Work]) -> [Ownership.Work] { ownership.withLock { event(&$0) } }

  /// Notes that an append of a claim was fenced, if the partitions are shared.
  func didLose(_ claim: JournalClaim) {
    submit(note { $0.member == nil ? [] : $0.didLose(claim) })
  }

  func submit(_ works: [Ownership.Work]) { if !works.isEmpty { queue.yield(.perform(works)) } }

  func look() { queue.yield(.look) }
}
