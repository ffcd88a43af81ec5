/// The steps of threads that want the turn, wait for an urgent step or come as a relief.
extension HandOver {
  /// Steps of a thread that wants to do work, or to leave it.
  mutating func stepOutside(_ index: Int, _ thread: inout Thread) throws(Violation) {
    let me = me(index)
    switch thread.point {
    case .begin:
      if word & ~Self.pending == me { throw Violation(description: "thread \(index) finds itself in the word") }
      thread.looks = 0
      switch calls[index][Int(thread.call)] {
      case .perform: thread.point = .look
      case .performUrgently: thread.point = .tryUrgently
      case .enterForEver: thread.point = .enter
      case .relieve: thread.point = .clearRelieved
      }
    case .look:
      thread.loaded = word
      if word == 0 || (mistake == .entersOnPending && word == Self.pending) {
        thread.point = .enter
      } else if word == Self.pending {
        giveUp(&thread)
      } else {
        lookAgain(&thread)
      }
    case .enter:
      if word == thread.loaded {
        word |= me
        if left & ~done != 0 { throw Violation(description: "thread \(index) passes work that was left") }
        thread.point = .work
      } else if case .enterForEver = calls[index][Int(thread.call)] {
        endCall(index, &thread)
      } else {
        lookAgain(&thread)
      }
    case .append:
      let work = number(index, thread)
      queue.append(work)
      appended.append(work)
      if mistake == .setsPendingBeforeAppending { afterPending(index, &thread) } else { thread.point = .setPending }
    case .setPending:
      thread.loaded = word
      word |= Self.pending
      left |= 1 << UInt16(number(index, thread))
      if mistake == .setsPendingBeforeAppending { thread.point = .append } else { afterPending(index, &thread) }
    case .enterPending:
      if word == Self.pending {
        word |= me
        leaveAfterErrands(index, &thread)
      } else {
        endCall(index, &thread)
      }
    default: preconditionFailure("The other points belong to other steps.")
    }
  }

  func lookAgain(_ thread: inout Thread) {
    thread.looks += 1
    if thread.looks == Self.looks { giveUp(&thread) } else { thread.point = .look }
  }

  func giveUp(_ thread: inout Thread) {
    thread.point = mistake == .setsPendingBeforeAppending ? .setPending : .append
  }

  func afterPending(_ index: Int, _ thread: inout Thread) {
    let wasFree = thread.loaded & ~Self.pending == 0
    if wasFree, mistake != .doesNotEnterAfterSettingPending {
      thread.point = .enterPending
    } else {
      endCall(index, &thread)
    }
  }

  /// Steps of a thread that waits for its urgent step.
  mutating func stepUrgently(_ index: Int, _ thread: inout Thread) {
    switch thread.point {
    case .tryUrgently:
      if word == 0 {
        word = me(index)
        thread.point = .work
      } else {
        thread.point = mistake == .registersAfterSettingPending ? .setPendingUrgently : .register
      }
    case .register:
      urgentSteps.append(number(index, thread))
      urgent += 1
      let isPendingLater = mistake != .registersAfterSettingPending && mistake != .registersWithoutPending
      thread.point = isPendingLater ? .setPendingUrgently : .lookUrgently
      if !isPendingLater { registered.append(number(index, thread)) }
    case .setPendingUrgently:
      let wasFree = word & ~Self.pending == 0
      word |= Self.pending
      thread.loaded = Self.pending
      thread.isRegistered = true
      if mistake == .registersAfterSettingPending {
        thread.point = .register
      } else {
        registered.append(number(index, thread))
        thread.point = wasFree && mistake != .returnsBeforeEntering ? .enterUrgently : .lookUrgently
      }
    case .lookUrgently:
      thread.loaded = word
      if done & 1 << UInt16(number(index, thread)) != 0 {
        endCall(index, &thread)
      } else if word & ~Self.pending == 0 {
        thread.point = .enterUrgently
      }
    case .enterUrgently:
      thread.point = .lookUrgently
      if word == thread.loaded {
        word |= me(index)
        thread.isRegistered = true
        leaveAfterErrands(index, &thread)
      }
    default: preconditionFailure("The other points belong to other steps.")
    }
  }

  /// Steps of a thread that has given way, and of the relief that comes for the work.
  mutating func stepToRelieve(_ index: Int, _ thread: inout Thread) throws(Violation) {
    switch thread.point {
    case .claimRelief:
      if mistake == .claimsReliefBeforeGivingWay { word = Self.pending } else { try claimRelief(besides: index) }
      endTurn(index, &thread)
    case .clearRelieved:
      if mistake != .staysRelieved { isRelieved = false }
      thread.point = .enterRelief
    case .enterRelief:
      if word == Self.pending {
        word |= me(index)
        leaveAfterErrands(index, &thread)
      } else {
        endCall(index, &thread)
      }
    default: preconditionFailure("The other points belong to other steps.")
    }
  }

  mutating func claimRelief(besides index: Int) throws(Violation) {
    if isRelieved { return }
    isRelieved = true
    if mistake == .givesWayWithoutRelief { return }
    let relief = calls.indices.first { relief in
      guard relief != index, case .relieve = calls[relief][0] else { return false }
      return threads[relief].point == .over
    }
    guard let relief else { throw Violation(description: "more reliefs are on their way than there may be") }
    threads[relief] = Thread(point: .clearRelieved)
  }
}
