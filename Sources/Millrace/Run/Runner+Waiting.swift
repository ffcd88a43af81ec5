extension Runner {
  /// Whether there is neither a slot nor a place to wait for one more action that asks for `handle`.
  ///
  /// *Owner's.*
  @inlinable
  var isFull: Bool {
    guard freeSlots == 0, let ledger else { return false }
    return !ledger.mayWait
  }

  /// Makes room for one more action that waits, if need be by dropping another; says whether there is any.
  ///
  /// *Owner's.*
  func makeRoom() -> Bool {
    let ledger = ownLedger
    if ledger.waiting < ledger.limits.actionsWaiting { return true }
    switch ledger.limits.onOverflow {
    case .reject: return false
    case .dropOldest: return drop(ledger.room.first)
    case .dropNewest: return drop(ledger.room.last)
    }
  }

  private func drop(_ course: Course<I>?) -> Bool {
    guard let course else { return false }
    end(course.run, .rejected(.full))
    return true
  }

  /// Lets an action wait, in the room of all that wait; its place there was made.
  ///
  /// *Owner's.*
  func enterRoom(_ course: Course<I>, _ queue: Course<I>.Queue) {
    let ledger = ownLedger
    if course.queue == .none {
      ledger.room.append(course)
      ledger.waiting += 1
    }
    course.queue = queue
  }

  /// Lets an action wait no more, wherever it waits.
  ///
  /// *Owner's.*
  func leaveQueue(_ course: Course<I>) {
    let ledger = ownLedger
    switch course.queue {
    case .none: return
    case .pace: if let record = course.holder { releaseHeld(record) }
    case .turn: course.record?.waiting.remove(course.run)
    case .slot: ledger.slotQueue.remove(course.run)
    case .flight: break
    }
    course.queue = .none
    ledger.room.remove(course)
    ledger.waiting -= 1
    updateHasWaiters()
    if !ledger.submitters.isEmpty { afterStep { $0.admitSubmitters() } }
  }

  // MARK: Slots

  /// Lets a run that was taken up wait for a slot.
  ///
  /// *Owner's.*
  @usableFromInline
  func waitForSlot(_ run: ActiveRun<I>) {
    let ledger = ownLedger
    _ = makeRoom()  // That it can was asked before anything was committed.
    let course = run.course ?? Course(run, terms: nil)
    if run.course == nil {
      course.acceptedAt = ledger.time.now()
      run.course = course
    }
    enterRoom(course, .slot)
    ledger.slotQueue.append(run)
    hasWaiters = true
  }

  /// Starts those that wait for a slot, first come first.
  ///
  /// *Owner's.*
  @usableFromInline
  func giveSlots() {
    let ledger = ownLedger
    while freeSlots > 0, let run = ledger.slotQueue.first, let course = run.course {
      leaveQueue(course)
      launch(run)
    }
    if freeSlots > 0, !ledger.submitters.isEmpty { afterStep { $0.admitSubmitters() } }
  }

  /// Notes whether somebody waits for what a run gives back.
  ///
  /// *Owner's.*
  func updateHasWaiters() {
    guard let ledger else { return }
    hasWaiters = !ledger.slotQueue.isEmpty || !ledger.submitters.isEmpty
  }
}
