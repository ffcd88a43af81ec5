import Testing

/// Walks the schedules of the lock itself within small bounds; `CombiningLockWalkScaleTests` does so within wider ones.
@Suite("CombiningLock, walked", .serialized)
struct CombiningLockWalkTests {
  /// Senders, urgent callers, and threads that lock again and again; some of them in each case.
  enum Bound: CaseIterable {
    case senders, sendersWithLittlePatience, senderTwice, urgent, urgentThatTakesAll, twoUrgent, locking, twoLocking
    case urgentInAFullPool, twoUrgentInAFullPool

    var walk: LockWalk {
      switch self {
      case .senders:
        LockWalk([[.perform(0)], [.perform(1)], [.perform(2)]], reliefs: 1, patience: 3, preemptions: 2)
      case .sendersWithLittlePatience:
        LockWalk([[.perform(0)], [.perform(1)], [.perform(2)]], reliefs: 2, patience: 1, preemptions: 2)
      case .senderTwice:
        LockWalk([[.perform(0)], [.perform(1), .perform(2)]], reliefs: 2, patience: 1, preemptions: 2)
      case .urgent:
        LockWalk([[.perform(0)], [.perform(1)], [.performUrgently(2)]], reliefs: 3, patience: 1, preemptions: 2)
      case .urgentThatTakesAll:
        LockWalk(
          [[.perform(0)], [.perform(1)], [.performUrgently(2, takingQueuedWork: true)]], reliefs: 3, patience: 2,
          preemptions: 2)
      case .twoUrgent:
        LockWalk(
          [[.perform(0)], [.performUrgently(1)], [.performUrgently(2, takingQueuedWork: true)]], reliefs: 3,
          patience: 2, preemptions: 1)
      case .locking:
        LockWalk(
          [[.tryLock, .tryLock], [.perform(0)], [.performUrgently(1)]], reliefs: 3, patience: 1,
          preemptions: 2)
      case .twoLocking:
        LockWalk(
          [[.tryLock, .tryLock], [.tryLock, .tryLock], [.performUrgently(0)]], reliefs: 3, patience: 2, preemptions: 2)
      case .urgentInAFullPool:
        LockWalk(
          [[.perform(0)], [.perform(1)], [.performUrgently(2)]], reliefs: 3, patience: 1, preemptions: 2, pool: 2..<3)
      case .twoUrgentInAFullPool:
        LockWalk(
          [[.perform(0)], [.performUrgently(1)], [.performUrgently(2)]], reliefs: 3, patience: 1, preemptions: 2,
          pool: 1..<3)
      }
    }
  }

  @Test(
    """
    In every schedule one thread at a time has the lock, queued work is done once, in order, and is not overtaken, at most \
    one step is done between the registration of an urgent step and that step, and no caller parks for ever
    """,
    arguments: Bound.allCases)
  func everyScheduleHolds(_ bound: Bound) {
    let finding = bound.walk.find()
    #expect(finding.violation == nil, "after \(finding.schedules) schedules, in schedule \(finding.schedule)")
    #expect(finding.schedules > 100, "The bounds leave nothing to walk.")
  }
}
