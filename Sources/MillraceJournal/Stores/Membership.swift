import Millrace

/// Keeps a process a member of stores that it shares with other processes, and its partitions those of which it is the first choice.
///
/// One task looks, takes and releases, each after the other. Another one renews the lease, so that a look that waits does not end the lease.
final class Membership: Sendable {
  let partitions: OwnedPartitions
  /// The members and the owners as this process has seen them last.
  let shares: Store<SeenShares>
  private let journal: any SharedJournal
  private let member: JournalMember
  private let lease: Duration
  private let calls: JournalCalls
  private let time: TimeSource
  /// The time of the last renewal.
  private let renewed: Lock<Int64>

  /// Joins in place of earlier members with its address, and takes the partitions that are free and of which this process is the first choice.
  ///
  /// - Parameter didReplace: Called for each member whose lease this process has ended.
  /// - Throws: ``JournalError``.
  init(
    of journal: any SharedJournal, as member: JournalMember, lease: Duration, partitions count: Int,
    _ calls: JournalCalls, _ configuration: StoreConfiguration, didReplace: (JournalMember) -> Void
  ) async throws(JournalError) {
    self.journal = journal
    self.member = member
    self.lease = min(max(lease, .milliseconds(10)), .seconds(86_400))
    self.calls = calls
    time = TimeSource(configuration.clock)
    renewed = Lock(time.now())
    partitions = OwnedPartitions(of: member.stores, Ownership(of: member, partitions: count))
    shares = Store(
      initial: JournalShares(members: [], owners: [:]), interactor: SeenShares(), configuration: configuration)
    try await join()
    for earlier in try await call({ journal throws(JournalError) in try await journal.replaceMembers(with: member) }) {
      didReplace(earlier)
    }
    let found = try await look()
    for case .take(let numbers) in partitions.note({ $0.didLook(found) }) { _ = try await take(numbers) }
  }

  /// Whether the lease was renewed in time.
  var isMember: Bool { time.now() &- renewed.withLock { $0 } < lease.nanoseconds }

  // MARK: The lease

  /// Renews the lease until the task is cancelled, or another process has replaced this one.
  ///
  /// - Returns: The error that names the other process; nil after a cancellation.
  func renew(_ report: @Sendable (JournalError) -> Void) async -> JournalError? {
    while (try? await time.sleep(until: time.now() &+ (lease / 4).nanoseconds)) != nil {
      do throws(JournalError) {
        let now = time.now()
        if try await call({ [member, lease] journal throws(JournalError) in
          try await journal.renew(member.id, lease: lease)
        }) {
          renewed.withLock { $0 = now }
        } else {
          try await join()
        }
      } catch {
        if error.code == .conflict { return error }
        if !Task.isCancelled { report(error) }
      }
    }
    return nil
  }

  private func join() async throws(JournalError) {
    let now = time.now()
    try await call { [member, lease] journal throws(JournalError) in try await journal.join(member, lease: lease) }
    renewed.withLock { $0 = now }
  }

  /// Ends the lease, so that the others take the partitions at once.
  func leave() async throws(JournalError) {
    try await call { [member] journal throws(JournalError) in try await journal.leave(member.id) }
  }

  // MARK: The partitions

  /// Looks and takes and releases partitions until the task is cancelled.
  func share<Key, I>(_ stores: StoresCore<Key, I>) async {
    await withDiscardingTaskGroup { group in
      lookLater(in: &group)
      for await duty in partitions.duties {
        do throws(JournalError) {
          switch duty {
          case .look:
            defer { lookLater(in: &group) }
            let found = try await look()
            let lost = journal.losses(of: member.stores).newest.values.compactMap(\.claim)
            try await perform(partitions.note { $0.didLook(found, lost: Set(lost)) }, stores, in: &group)
          case .perform(let works): try await perform(works, stores, in: &group)
          }
        } catch {
          if !Task.isCancelled { stores.reportShare(error) }
        }
      }
    }
  }

  private func lookLater(in group: inout DiscardingTaskGroup) {
    group.addTask { [self] in
      guard (try? await time.sleep(until: time.now() &+ (lease / 10).nanoseconds)) != nil else { return }
      partitions.look()
    }
  }

  private func look() async throws(JournalError) -> JournalShares {
    let found = try await call { [member] journal throws(JournalError) in try await journal.shares(of: member.stores) }
    shares.send(found)
    return found
  }

  /// - Throws: ``JournalError`` of a taking or a release, once everything else is done; the next look tries them again.
  private func perform<Key, I>(
    _ works: [Ownership.Work], _ stores: StoresCore<Key, I>, in group: inout DiscardingTaskGroup
  ) async throws(JournalError) {
    var (works, failure): (ArraySlice<Ownership.Work>, JournalError?) = (works[...], nil)
    while let work = works.popFirst() {
      do throws(JournalError) {
        switch work {
        case .take(let numbers): works += try await take(numbers)
        case .open(let claim): stores.didTake(claim.partition.number)
        case .drain(let claims):
          group.addTask { [self] in
            await stores.giveUp(claims, drainFor: lease / 2) { [partitions] claim in
              partitions.submit(partitions.note { $0.didDrain(claim) })
            }
          }
        case .release(let claim):
          try await call { journal throws(JournalError) in try await journal.release([claim]) }
          _ = partitions.note {
            $0.didRelease(claim)
            return []
          }
        case .drop(let claims): group.addTask { await stores.giveUp(claims, drainFor: .zero) { _ in } }
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private func take(_ numbers: [Int]) async throws(JournalError) -> [Ownership.Work] {
    do throws(JournalError) {
      let claims = try await call { [member] journal throws(JournalError) in
        try await journal.take(numbers, as: member)
      }
      return partitions.note { $0.didTake(claims, of: numbers) }
    } catch {
      _ = partitions.note { $0.didTake([], of: numbers) }
      throw error
    }
  }

  /// Calls the journal, and repeats that while the engine does not answer, unless the task is cancelled.
  private func call<Value: Sendable>(
    _ call: @escaping @Sendable (any SharedJournal) async throws(JournalError) -> Value
  ) async throws(JournalError) -> Value {
    var events = JournalCalls.Events()
    events.giveUp = { [member] in Task.isCancelled ? .ended(member.stores) : nil }
    return try await calls.read(events: events) { [journal] _, _ throws(JournalError) in try await call(journal) }
  }
}

/// The members and the owners as a state that can be observed.
struct SeenShares: Interactor {
  typealias State = JournalShares
  typealias Action = JournalShares
  typealias Mutation = JournalShares

  func decide(_ shares: JournalShares, state: JournalShares) -> Decision<JournalShares> {
    shares == state ? .ignore : .mutate(shares)
  }

  static func reduce(into state: inout JournalShares, mutation shares: JournalShares) { state = shares }
}
