/// The partitions that a member owns, and the steps by which it comes to own its share: a value without time, tasks or storage.
///
/// Each event returns the works that its caller has to do; the end of a work is another event. Looks, takings and releases come one after the other, so a
/// look never shows less than an earlier work has done.
///
/// | From | Event | To |
/// |---|---|---|
/// | of others | a look shows no living owner, and this member as the first choice | being taken |
/// | of others | a look shows this member as the owner, because the answer of a taking was lost | being taken; being released if another one is the first choice |
/// | being taken | the engine has given the claim; otherwise | owned; of others |
/// | owned | a look shows another first choice | draining |
/// | draining | its keys have hibernated, or were stopped | being released |
/// | being released | the engine has taken it back; otherwise, by the next look | of others; being released |
/// | owned, draining, being released | an append was fenced, or a look shows another claim or a loss of records | of others |
struct Ownership: Sendable {
  enum Work: Sendable, Hashable {
    /// Take these partitions, and report ``didTake(_:of:)``.
    case take([Int])
    /// Open the keys that are due, and send to those of the partition.
    case open(JournalClaim)
    /// End the stores of the partitions' keys, and report ``didDrain(_:)`` for each.
    case drain([JournalClaim])
    /// Release the partition, and report ``didRelease(_:)``.
    case release(JournalClaim)
    /// End the stores of the partitions' keys at once, because their appends are fenced.
    case drop([JournalClaim])
  }

  fileprivate enum Phase: Sendable, Hashable {
    case ofOthers
    case taking
    case owned(JournalClaim)
    case draining(JournalClaim)
    case releasing(JournalClaim)
  }

  /// This process; nil if it owns all partitions alone.
  let member: JournalMember?
  private var phases: [Phase]
  /// The newest look; nil before the first one.
  private(set) var shares: JournalShares?

  /// - Parameter count: The number of partitions.
  init(of member: JournalMember, partitions count: Int) {
    self.member = member
    phases = Array(repeating: .ofOthers, count: count)
  }

  /// - Parameter claims: The claims on all partitions, by their numbers.
  init(ofAll claims: [JournalClaim]) {
    member = nil
    phases = claims.map { .owned($0) }
  }

  // MARK: Reading

  var partitionCount: Int { phases.count }

  /// The claim of a partition to whose keys this process sends; nil if it is not the owner, or gives the partition up.
  func claim(of partition: Int) -> JournalClaim? {
    if case .owned(let claim) = phases[partition] { claim } else { nil }
  }

  /// The claims whose partitions this process may still append to.
  var claims: [JournalClaim] { phases.compactMap(\.claim) }

  /// The number of partitions to whose keys this process sends.
  var ownedCount: Int { phases.count { if case .owned = $0 { true } else { false } } }

  /// The member that owns a partition, or to which this one gives it; nil if none is known.
  func owner(of partition: Int) -> JournalMember? {
    switch phases[partition] {
    case .owned: return member
    case .draining, .releasing:
      guard let shares else { return nil }
      let next = JournalMember.ID.firstChoice(of: partition, among: shares.members.map(\.id))
      return shares.members.first { $0.id == next }
    case .ofOthers, .taking:
      let owner = shares?.owner(of: partition)
      return owner == member ? nil : owner
    }
  }

  // MARK: Events

  /// Compares the partitions with those that this member is to own.
  ///
  /// - Parameters:
  ///   - shares: The members and the owners.
  ///   - lost: The claims of this process under which the journal has lost records.
  mutating func didLook(_ shares: JournalShares, lost: Set<JournalClaim> = []) -> [Work] {
    self.shares = shares
    guard let member else { return [] }
    let members = shares.members.map(\.id)
    var (dropped, drained, free, works): ([JournalClaim], [JournalClaim], [Int], [Work]) = ([], [], [], [])
    for partition in phases.indices {
      let isChoice = JournalMember.ID.firstChoice(of: partition, among: members) == member.id
      let owner = shares.owners[partition]
      if let claim = phases[partition].claim,
        lost.contains(claim) || owner != JournalShares.Owner(member.id, epoch: claim.epoch, name: claim.name)
      {
        phases[partition] = .ofOthers
        dropped.append(claim)
      }
      switch phases[partition] {
      case .ofOthers:
        let living = shares.owner(of: partition)
        if isChoice, living == nil || living?.id == member.id {
          phases[partition] = .taking
          free.append(partition)
        } else if let owner, living?.id == member.id {
          let claim = JournalClaim(
            JournalPartition(of: member.stores, number: partition), epoch: owner.epoch, name: owner.name)
          phases[partition] = .releasing(claim)
          works.append(.release(claim))
        }
      case .owned(let claim) where !isChoice && members.contains(member.id):
        phases[partition] = .draining(claim)
        drained.append(claim)
      case .releasing(let claim): works.append(.release(claim))
      case .taking, .owned, .draining: break
      }
    }
    if !dropped.isEmpty { works.append(.drop(dropped)) }
    if !drained.isEmpty { works.append(.drain(drained)) }
    if !free.isEmpty { works.append(.take(free)) }
    return works
  }

  /// Notes the claims of partitions that were to be taken.
  mutating func didTake(_ claims: [JournalClaim], of partitions: [Int]) -> [Work] {
    for partition in partitions where phases[partition] == .taking { phases[partition] = .ofOthers }
    // An engine may give no other ones.
    let taken = claims.filter { partitions.contains($0.partition.number) }
    for claim in taken { phases[claim.partition.number] = .owned(claim) }
    return taken.map { .open($0) }
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
    return [.drop([claim])]
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
