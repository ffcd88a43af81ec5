/// The steps of the owner.
extension HandOver {
  /// Steps of the owner.
  mutating func stepInside(_ index: Int, _ thread: inout Thread) throws(Violation) {
    switch thread.point {
    case .work: try work(index, &thread)
    case .leaving:
      thread.loaded = word
      if word & Self.pending == 0 { thread.point = .free } else { leaveAfterErrands(index, &thread) }
    case .free:
      if free(thread) { endTurn(index, &thread) } else { leaveAfterErrands(index, &thread) }
    case .checkUrgent:
      if try !performUrgentStep(&thread) { thread.point = .checkPending }
    case .checkPending:
      if word & Self.pending == 0 {
        thread.point = .leavingAfterErrands
      } else if thread.patience == 0 {
        thread.point = .giveWay
      } else if backlog.isEmpty || mistake == .takesTheQueueOverTheBacklog {
        thread.point = mistake == .clearsPendingAfterTakingTheQueue ? .takeQueue : .clearPending
      } else {
        thread.point = .checkUrgentFirst
      }
    case .clearPending:
      word = me(index)
      thread.point = mistake == .clearsPendingAfterTakingTheQueue ? .checkUrgentFirst : .takeQueue
    case .takeQueue:
      refill()
      thread.point = mistake == .clearsPendingAfterTakingTheQueue ? .clearPending : .checkUrgentFirst
    case .checkUrgentFirst:
      if mistake == .looksForUrgentStepsAtTheEnd {
        thread.point = .workOff
      } else if try !performUrgentStep(&thread) {
        thread.point = .workOff
      }
    case .workOff: try workOff(index, &thread)
    case .leavingAfterErrands:
      hasErrands = false
      thread.loaded = word
      thread.point = word & Self.pending == 0 ? .freeAfterErrands : .checkUrgent
    case .freeAfterErrands:
      if free(thread) { endTurn(index, &thread) } else { thread.point = .checkUrgent }
    case .giveWay:
      switch mistake {
      case .givesWayToZero: word = 0
      case .claimsReliefBeforeGivingWay: try claimRelief(besides: index)
      default: word = Self.pending
      }
      thread.point = .claimRelief
    default: preconditionFailure("The other points belong to other steps.")
    }
  }

  mutating func work(_ index: Int, _ thread: inout Thread) throws(Violation) {
    switch calls[index][Int(thread.call)] {
    case .perform(let work): try perform(work, by: index, wasLeft: false)
    case .performUrgently(let work, let takingLeftWork):
      try performUrgent(work, takingLeftWork: takingLeftWork)
    case .enterForEver: try overtake(by: index)
    case .relieve: preconditionFailure("A relief has no step of its own.")
    }
    leave(index, &thread)
  }

  /// The first registered urgent step, done; false if there is none.
  mutating func performUrgentStep(_ thread: inout Thread) throws(Violation) -> Bool {
    guard urgent > 0, let work = urgentSteps.popFirst() else { return false }
    hasErrands = true
    urgent -= 1
    let takesLeftWork = calls.joined().contains { call in
      if case .performUrgently(work, takingLeftWork: true) = call { true } else { false }
    }
    try performUrgent(work, takingLeftWork: takesLeftWork)
    if thread.patience > 0 { thread.patience -= 1 }
    return true
  }

  mutating func performUrgent(_ work: Int, takingLeftWork: Bool) throws(Violation) {
    let bit: UInt16 = 1 << UInt16(work)
    if done & bit != 0 { throw Violation(description: "urgent work \(work) is done twice") }
    done |= bit
    if takingLeftWork { try performLeftWork() }
  }

  mutating func performLeftWork() throws(Violation) {
    hasErrands = true
    for isRefilled in [false, true] {
      if isRefilled { refill() }
      while let work = backlog.popFirst() {
        try perform(work, by: 0, wasLeft: true)
        var thread = Thread(patience: 0)
        while try performUrgentStep(&thread) {}
      }
    }
  }

  func leave(_ index: Int, _ thread: inout Thread) {
    if hasErrands { leaveAfterErrands(index, &thread) } else { thread.point = .leaving }
  }

  func leaveAfterErrands(_ index: Int, _ thread: inout Thread) {
    thread.patience = isUrgent(index, thread) && mistake != .urgentCallerDoesLeftWork ? 0 : patience
    thread.point = .checkUrgent
  }

  /// Whether the thread has called for an urgent step, so that it does nothing else for others.
  func isUrgent(_ index: Int, _ thread: Thread) -> Bool {
    if case .performUrgently = calls[index][Int(thread.call)] { true } else { false }
  }

  /// The exchange at the end of `tryLeave`.
  mutating func free(_ thread: Thread) -> Bool {
    guard word == thread.loaded || mistake == .leavesWithoutComparing else { return false }
    word = 0
    return true
  }

  mutating func workOff(_ index: Int, _ thread: inout Thread) throws(Violation) {
    hasErrands = true
    if thread.patience > 0, let work = backlog.popFirst() {
      if isUrgent(index, thread) { throw Violation(description: "thread \(index), which is urgent, does left work") }
      try perform(work, by: index, wasLeft: true)
      thread.patience -= 1
      thread.point = .checkUrgentFirst
    } else {
      thread.point = backlog.isEmpty ? .checkUrgent : .giveWay
    }
  }

  mutating func refill() {
    guard backlog.isEmpty || mistake == .takesTheQueueOverTheBacklog else { return }
    while let work = queue.popFirst() {
      if mistake == .takesTheQueueOverTheBacklog { backlog.insert(work) } else { backlog.append(work) }
    }
  }

  mutating func perform(_ work: Int, by index: Int, wasLeft: Bool) throws(Violation) {
    let bit: UInt16 = 1 << UInt16(work)
    if done & bit != 0 { throw Violation(description: "work \(work) is done twice") }
    if wasLeft {
      if appended[Int(leftDone)] != work {
        throw Violation(description: "work \(work) passes work that was left before it")
      }
      leftDone += 1
    }
    done |= bit
    try overtake(by: index)
  }

  /// Counts a step for each urgent step that is registered.
  mutating func overtake(by index: Int) throws(Violation) {
    var place = 0
    while let work = registered[place] {
      defer { place += 1 }
      guard done & 1 << UInt16(work) == 0 else { continue }
      if overtaken >> UInt32(work) & 1 != 0 {
        throw Violation(description: "thread \(index) does a second step ahead of urgent work \(work)")
      }
      overtaken |= 1 << UInt32(work)
    }
  }
}
