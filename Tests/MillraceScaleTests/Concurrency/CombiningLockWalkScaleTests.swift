import Testing

/// Walks the schedules of the lock itself within wider bounds than `CombiningLockWalkTests`: more threads, calls and preemptions.
@Suite("CombiningLock, walked within wider bounds", .serialized)
struct CombiningLockWalkScaleTests {
  /// Senders and urgent callers; some of them in each case.
  enum Bound: CaseIterable {
    case senders, sendersWithLittlePatience, sendersTwice, urgent, urgentAheadOfQueuedWork, twoUrgent, fourThreads

    var walk: LockWalk {
      switch self {
      case .senders:
        LockWalk([[.perform(0)], [.perform(1)], [.perform(2)]], reliefs: 2, patience: 3, preemptions: 3)
      case .sendersWithLittlePatience:
        LockWalk([[.perform(0)], [.perform(1)], [.perform(2)]], reliefs: 2, patience: 1, preemptions: 3)
      case .sendersTwice:
        LockWalk(
          [[.perform(0)], [.perform(1), .perform(2)], [.perform(3), .perform(4)]], reliefs: 2, patience: 2,
          preemptions: 2)
      case .urgent:
        LockWalk([[.perform(0)], [.perform(1)], [.performUrgently(2)]], reliefs: 3, patience: 1, preemptions: 3)
      case .urgentAheadOfQueuedWork:
        LockWalk(
          [[.perform(0)], [.perform(1), .perform(2)], [.performUrgently(3)]], reliefs: 3, patience: 3, preemptions: 2)
      case .twoUrgent:
        LockWalk(
          [[.perform(0)], [.performUrgently(1)], [.performUrgently(2, takingQueuedWork: true)]], reliefs: 3,
          patience: 2, preemptions: 2)
      case .fourThreads:
        LockWalk(
          [[.perform(0)], [.perform(1)], [.perform(2)], [.performUrgently(3, takingQueuedWork: true)]], reliefs: 3,
          patience: 2, preemptions: 2)
      }
    }
  }

  @Test("In every schedule within wider bounds the lock keeps all that it promises", arguments: Bound.allCases)
  func everyScheduleHolds(_ bound: Bound) {
    let finding = bound.walk.find(limit: scaled(200_000))
    #expect(finding.violation == nil, "after \(finding.schedules) schedules, in schedule \(finding.schedule)")
    #expect(finding.schedules >= scaled(2_000), "The bounds leave nothing to walk.")
  }
}
