/// The partitions that a member owns, and the steps by which it comes to own its share: a value without time, tasks or storage.
///
/// Each event returns the works that its caller has to do; the end of a work is another event. Looks, takings and releases come one after the other, so a
/// look never shows less than an earlier work has done.
///
/// | From | Event | To |
/// |---|---|---|
/// | of others | a look shows no living owner, and this member as the first choice | being taken |
/// | being taken | the engine has given the claim; otherwise | owned; of others |
/// | owned | a look shows another first choice | draining |
/// | draining | its keys have hibernated, or were stopped | being released |
/// | being released | the engine has taken it back | of others |
/// | owned, draining, being released | an append was fenced, or a look shows another claim | of others |
struct Ownership {
  enum Work: Hashable {
    /// Take these partitions, and report ``didTake(_:of:)``.
    case take([Int])
    /// Open the keys that are due, and send to those of the partition.
    case open(JournalClaim)
    /// End the stores of the partition's keys, and report ``didDrain(_:)``.
    case drain(JournalClaim)
    /// Release the partition, and report ``didRelease(_:)``.
    case release(JournalClaim)
    /// Discard the stores of the partition's keys, which another process has taken.
    case drop(JournalClaim)
  }

  fileprivate enum Phase: Hashable {
    case ofOthers
    case taking
    case owned(JournalClaim)
    case draining(JournalClaim)
    case releasing(JournalClaim)
  }

  let member: JournalMember.ID
  private var phases: [Phase]
  /// The newest look; nil before the first one.
  private(set) var shares: JournalShares?

  /// - Parameter count: The number of partitions.
  init(of member: JournalMember.ID, partitions count: Int) {
    self.member = member
    phases = Array(repeating: .ofOthers, count: count)
  }

  // MARK: Reading

  /// The claim of a partition to whose keys this process sends; nil if it is not the owner, or gives the partition up.
  func claim(of partition: Int) -> JournalClaim? {
    if case .owned(let claim) = phases[partition] { claim } else { nil }
  }

  /// The claims whose partitions this process may still append to.
  var claims: [JournalClaim] { phases.compactMap(\.claim) }

  // MARK: Events

  /// Compares the partitions with those that this member is to own.
  mutating func didLook(_ shares: JournalShares) -> [Work] {
    self.shares = shares
    let members = shares.members.map(\.id)
    var (works, free): ([Work], [Int]) = ([], [])
    for (partition, phase) in phases.enumerated() {
      let isChoice = JournalMember.ID.firstChoice(of: partition, among: members) == member
      if let claim = phase.claim, shares.owners[partition] != JournalShares.Owner(member, epoch: claim.epoch) {
        phases[partition] = .ofOthers
        works.append(.drop(claim))
      }
      switch phases[partition] {
      case .ofOthers where isChoice && shares.owner(of: partition) == nil:
        phases[partition] = .taking
        free.append(partition)
      case .owned(let claim) where !isChoice && members.contains(member):
        phases[partition] = .draining(claim)
        works.append(.drain(claim))
      case .ofOthers, .taking, .owned, .draining, .releasing: break
      }
    }
    return free.isEmpty ? works : works + [.take(free)]
  }

  /// Notes the claims of partitions that were to be taken.
  mutating func didTake(_ claims: [JournalClaim], of partitions: [Int]) -> [Work] {
    for partition in partitions where phases[partition] == .taking { phases[partition] = .ofOthers }
    for claim in claims { phases[claim.partition.number] = .owned(claim) }
    return claims.map { .open($0) }
  }

  /// Notes that no store of a partition's keys appends any more.
  mutating func didDrain(_ claim: JournalClaim) -> [Work] {
    guard phases[claim.partition.number] == .draining(claim) else { return [] }
    phases[claim.partition.number] = .releasing(claim)
    return [.release(claim)]
  }

  mutating func didRelease(_ claim: JournalClaim) {
    if phases[claim.partition.number] == .releasing(claim) { phases[claim.partition.number] = .ofOthers }
  }

  /// Notes that an append of a claim was fenced.
  mutating func didLose(_ claim: JournalClaim) -> [Work] {
    guard phases[claim.partition.number].claim == claim else { return [] }
    phases[claim.partition.number] = .ofOthers
    return [.drop(claim)]
  }

  /// Begins to release all partitions.
  mutating func leave() -> [Work] {
    phases.indices.compactMap { partition in
      guard case .owned(let claim) = phases[partition] else { return nil }
      phases[partition] = .draining(claim)
      return .drain(claim)
    }
  }
}

extension Ownership.Phase {
  /// The claim that the process has.
  fileprivate var claim: JournalClaim? {
    switch self {
    case .owned(let claim), .draining(let claim), .releasing(let claim): claim
    case .ofOthers, .taking: nil
    }
  }
}
