import Testing

/// Walks every schedule of the hand-over protocol within small bounds.
@Suite("CombiningLock, modelled")
struct CombiningLockModelTests {
  /// Two senders, an owner that has just entered, urgent callers, and a sender that enters for ever; some of them in each case.
  enum Bound: CaseIterable {
    case sendersAndOwner, withLittlePatience, withUrgent, withUrgentThatTakesAll, withTwoUrgent
    case withSenderForEver, withTwoSendersForEver

    func model(_ mistake: HandOver.Mistake? = nil) -> HandOver {
      switch self {
      case .sendersAndOwner:
        HandOver(threads: [[.perform(0)], [.perform(1)], [.perform(2)]], reliefs: 1, patience: 3, mistake: mistake)
      case .withLittlePatience:
        HandOver(threads: [[.perform(0)], [.perform(1)], [.perform(2)]], reliefs: 2, patience: 1, mistake: mistake)
      case .withUrgent:
        HandOver(
          threads: [[.perform(0)], [.perform(1)], [.performUrgently(2)]], reliefs: 3, patience: 1, mistake: mistake)
      case .withUrgentThatTakesAll:
        HandOver(
          threads: [[.perform(0)], [.perform(1)], [.performUrgently(2, takingLeftWork: true)]], reliefs: 3, patience: 2,
          mistake: mistake)
      case .withTwoUrgent:
        HandOver(
          threads: [[.perform(0)], [.performUrgently(1)], [.performUrgently(2, takingLeftWork: true)]], reliefs: 3,
          patience: 2, mistake: mistake)
      case .withSenderForEver:
        HandOver(
          threads: [[.enterForEver], [.perform(0)], [.performUrgently(1)]], reliefs: 3, patience: 1, mistake: mistake)
      case .withTwoSendersForEver:
        HandOver(
          threads: [[.enterForEver], [.enterForEver], [.performUrgently(0)]], reliefs: 3, patience: 2, mistake: mistake)
      }
    }
  }

  @Test(
    """
    In every schedule one thread at a time has the turn, left work is done once, in order, and is not overtaken, and at most \
    one step is done between the registration of an urgent step and that step
    """,
    arguments: Bound.allCases)
  func everyScheduleHolds(_ bound: Bound) {
    let finding = HandOverWalk(bound.model()).finding
    #expect(finding.violation == nil, "schedule \(finding.schedule)")
    #expect(finding.states > 200 && finding.ends > 0, "The bounds leave nothing to walk.")
  }

  /// `CombiningLockModelScaleTests` finds the mistake that is left out, which needs wider bounds.
  @Test(
    "The walk finds each mistake that is planted in the protocol",
    arguments: HandOver.Mistake.allCases.filter { $0 != .looksForUrgentStepsAtTheEnd })
  func everyMistakeIsFound(_ mistake: HandOver.Mistake) {
    #expect(Bound.allCases.contains { HandOverWalk($0.model(mistake)).finding.violation != nil })
  }
}
