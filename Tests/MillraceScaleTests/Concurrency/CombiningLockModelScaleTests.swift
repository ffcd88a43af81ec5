import Testing

/// Walks every schedule of the hand-over protocol within wider bounds than `CombiningLockModelTests`.
@Suite("CombiningLock, modelled within wider bounds")
struct CombiningLockModelScaleTests {
  @Test("In every schedule of four threads one at a time has the turn, and left work is done once and in order")
  func everyScheduleOfFourHolds() {
    let urgent = HandOver.Call.performUrgently(3, takingLeftWork: true)
    let wide = HandOver(threads: [[.perform(0)], [.perform(1)], [.perform(2)], [urgent]], reliefs: 3, patience: 2)
    let finding = HandOverWalk(wide, limit: scaled(5_000_000)).finding
    #expect(finding.violation == nil, "schedule \(finding.schedule)")
    #expect(finding.states > scaled(300_000))
  }

  @Test("In every schedule of three threads that come twice, each sender's work is done in order")
  func everyScheduleOfThreeHolds() {
    let threads: [[HandOver.Call]] = [[.perform(0)], [.perform(1), .perform(2)], [.perform(3), .perform(4)]]
    let finding = HandOverWalk(HandOver(threads: threads, reliefs: 2, patience: 2), limit: scaled(5_000_000)).finding
    #expect(finding.violation == nil, "schedule \(finding.schedule)")
    #expect(finding.states > scaled(300_000))
  }

  /// A sender leaves two steps, of which an urgent one goes ahead.
  private func urgentAheadOfLeftWork(_ mistake: HandOver.Mistake? = nil) -> HandOver {
    HandOver(
      threads: [[.perform(0)], [.perform(1), .perform(2)], [.performUrgently(3)]], reliefs: 3, patience: 3,
      mistake: mistake)
  }

  @Test("In every schedule at most one step is done between the registration of an urgent step and that step")
  func everyScheduleWithUrgentHolds() {
    let finding = HandOverWalk(urgentAheadOfLeftWork(), limit: scaled(5_000_000)).finding
    #expect(finding.violation == nil, "schedule \(finding.schedule)")
    #expect(finding.states > scaled(200_000))
  }

  @Test(
    "The walk finds an owner that looks for urgent steps only when it has done all others",
    .enabled(if: scaled(100) == 100, "The mistake shows after 170,000 states."))
  func lookingAtTheEndIsFound() {
    #expect(HandOverWalk(urgentAheadOfLeftWork(.looksForUrgentStepsAtTheEnd)).finding.violation != nil)
  }
}
