extension HandOver {
  /// A change to the protocol that breaks it.
  enum Mistake: CaseIterable {
    case clearsPendingAfterTakingTheQueue
    case doesNotEnterAfterSettingPending
    case setsPendingBeforeAppending
    case entersOnPending
    case leavesWithoutComparing
    case givesWayWithoutRelief
    case staysRelieved
    case givesWayToZero
    case takesTheQueueOverTheBacklog
    case registersWithoutPending
    case registersAfterSettingPending
    case returnsBeforeEntering
    case looksForUrgentStepsAtTheEnd
    case claimsReliefBeforeGivingWay
    case urgentCallerDoesLeftWork
  }
}
