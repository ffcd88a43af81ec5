public import Millrace

/// The partitions that this process takes, and gives up to other processes.
extension StoresCore {
  /// Opens the keys of a partition that have to be open.
  func didTake(_ partition: Int) { waker?.didTake(partition) }

  /// Ends the stores of the keys of partitions that this process does not own any more.
  ///
  /// - Parameters:
  ///   - claims: The claims that it had.
  ///   - time: The longest wait for accepted actions.
  ///   - didEnd: Called for each partition once no store of its keys appends.
  func giveUp(
    _ claims: [JournalClaim], drainFor time: Duration, didEnd: @escaping @Sendable (JournalClaim) -> Void
  ) async {
    let numbers = Set(claims.map(\.partition.number))
    let found = registry.withLock { $0.members.values.filter { numbers.contains($0.partition) } }
    let names = Dictionary(grouping: found, by: \.partition).mapValues { $0.map { UTF8Text($0.key.name) } }
    await withDiscardingTaskGroup { group in
      for claim in claims {
        group.addTask { [self] in
          let number = claim.partition.number
          let reason = Rejection.notOwner(source.partitions?.owner(of: number)?.address)
          await withDiscardingTaskGroup { group in
            for name in names[number] ?? [] {
              group.addTask { [self] in
                await remove(name, reason) { await $0.shutdown(drainFor: time, refusing: reason) }
              }
            }
          }
          didEnd(claim)
        }
      }
    }
  }

  /// Removes a key from the memory, and returns when its store has ended.
  ///
  /// - Parameters:
  ///   - name: The key, which is not opened meanwhile.
  ///   - reason: The reason for which the actions are rejected that wait for the opening.
  ///   - end: Ends the store of a key that is open.
  func remove(_ name: UTF8Text, _ reason: Rejection, _ end: @Sendable (Store<I>) async -> Void) async {
    while true {
      let (member, change, works) = registry.withLock { $0.remove(name, reason) }
      perform(works)
      if let member {
        await end(member.store)
        let metrics = member.store.metricsAtOnce
        registry.withLock { $0.count(metrics, of: member) }
      }
      guard let change else { return }
      _ = await change.value
    }
  }

  func reportShare(_ error: JournalError) {
    parts.configuration.report(
      Incident(
        .failedShare, of: I.Action.self, error: error,
        "The process could not renew its lease, or look at the partitions of the stores \(JournalKey(name).quoted), and tries it again: \(error)"
      ))
  }
}

extension Incident.Kind {
  /// The stores were opened with the address of another process that had a lease, such as the former life of this one, which has replaced it.
  ///
  /// It concerns no action. Reported for each such process by the one that has replaced it; the other one reports ``fencedStores``.
  public static let replacedMember = Incident.Kind(name: "replacedMember")
}

extension Incident {
  static func replaced(_ member: JournalMember, of action: any Any.Type) -> Incident {
    Incident(
      .replacedMember, of: action,
      """
      The stores \(JournalKey(member.stores).quoted) were opened at the address "\(member.address ?? "")", which \(member.process) had until now; \
      nothing is to be done if that was this service before a restart, otherwise give each process an address of its own.
      """)
  }
}

extension JournalError {
  package static func replaced(_ member: JournalMember, by newcomer: JournalEpoch?) -> JournalError {
    let process = newcomer.map { "\($0)" } ?? "another process"
    return JournalError(
      .conflict, newcomer: newcomer,
      """
      The stores \(JournalKey(member.stores).quoted) were opened at the address "\(member.address ?? "")" of this process by \(process); give each process \
      an address of its own.
      """)
  }
}
