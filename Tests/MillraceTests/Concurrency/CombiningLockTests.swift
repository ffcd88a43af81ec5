import Synchronization
import Testing

@testable import Millrace

@Suite("CombiningLock", .timeLimit(.minutes(1)))
struct CombiningLockTests {
  let object = LockedObject()
  let notes = Notes<String>()

  @Test("Work for a free turn is done at once")
  func workIsDoneAtOnce() {
    object.perform { [notes] in notes.note("a") }
    #expect(notes.all == ["a"])
    #expect(object.isFree)
  }

  @Test("The turn is taken once at a time, and its owner knows that it has it")
  func theTurnIsTakenOnce() {
    #expect(!object.isHeldHere)
    #expect(object.tryLock())
    #expect(object.isHeldHere)
    #expect(!object.tryLock())
    #expect(!object.tryLockSpinning())
    object.unlock()
    #expect(!object.isHeldHere)
    #expect(object.tryLockSpinning())
    object.unlock()
  }

  @Test("Work from inside a step is done after it, in order, before the outer call returns")
  func workFromInsideIsDoneAfter() {
    object.perform { [object, notes] in
      object.perform { notes.note("b") }
      object.perform {
        object.perform { notes.note("d") }
        notes.note("c")
      }
      notes.note("a")
    }
    #expect(notes.all == ["a", "b", "c", "d"])
  }

  @Test("Urgent work from inside a step is done right after that step, ahead of the work that is queued")
  func urgentWorkFromInsideIsDoneRightAfter() {
    object.perform { [object, notes] in
      object.perform {
        object.performUrgently { notes.note("d") }
        notes.note("c")
      }
      object.perform { notes.note("e") }
      object.performUrgently { notes.note("b") }
      notes.note("a")
    }
    #expect(notes.all == ["a", "b", "c", "d", "e"])
  }

  @Test("Work due after leaving is done without the turn, in order, and may take the turn again")
  func whatIsDueIsDoneWithoutTheTurn() {
    object.perform { [object, notes] in
      object.afterUnlock {
        notes.note("b \(object.isHeldHere)")
        object.perform { notes.note("c \(object.isHeldHere)") }
      }
      object.afterUnlock { notes.note("d \(object.isHeldHere)") }
      notes.note("a \(object.isHeldHere)")
    }
    #expect(notes.all == ["a true", "b false", "c true", "d false"])
  }

  @Test("An owner does left work up to its patience; a task of the object's own does the rest, in order")
  func theRestGoesToARelief() async {
    let count = 3 * CombiningLock.patience
    let order = Notes<Int>()
    let doneAtOnce = Box(0)
    object.perform { [object] in
      for number in 0..<count { object.perform { order.note(number) } }
    }
    doneAtOnce.value = order.all.count
    #expect(doneAtOnce.value >= CombiningLock.patience)
    await object.settle()
    #expect(order.all == Array(0..<count))
    #expect(object.isFree)
  }

  @Test("All left work can be done from inside a step, in order")
  func leftWorkIsDoneFromInside() {
    object.perform { [object, notes] in
      object.perform { notes.note("a") }
      object.perform { notes.note("b") }
      object.lock.performQueuedWork(for: object)
      notes.note("c")
    }
    #expect(notes.all == ["a", "b", "c"])
    #expect(object.isFree)
  }

  @Test(
    "R3: an urgent step goes ahead of the work that is queued, from inside a step too", arguments: [false, true])
  func urgentStepsGoFirst(fromInside: Bool) async {
    let urgent = Box<Task<Void, Never>?>(nil)
    object.perform { [object, notes] in
      object.perform {
        urgent.value = onThread { object.performUrgently { notes.note("urgent") } }
        object.waitUntilWanted()
        notes.note("a")
      }
      object.perform { notes.note("b") }
      if fromInside { object.lock.performQueuedWork(for: object) }
    }
    await urgent.value?.value
    #expect(notes.all == ["a", "urgent", "b"])
  }

  // The caller did up to 1,024 steps of others, and began handlers, which could keep it for as long as they liked.
  @Test("R3: a thread that called for an urgent step does no step of others, and begins nothing that is to be started")
  func anUrgentCallerDoesNothingElse() async throws {
    let latch = Latch()
    let start = Noted()
    let threads = Notes<UInt>()
    let urgent = onThread { [object, notes] in
      object.performUrgently {
        object.lock.startAfterUnlock(start)
        latch.pass()
      }
      notes.note(threads.all.contains(currentThread()) ? "did the other step" : "did its own step")
    }
    try await latch.waitForArrival()
    object.perform { threads.note(currentThread()) }
    latch.open()
    await urgent.value
    await object.settle()
    #expect(notes.all == ["did its own step"])
    #expect(threads.all.count == 1)
    #expect(start.begun.all == ["in the pool"])
  }

  @Test(
    "Work is queued while another thread has the lock, and is done after that step; so is urgent work, before it returns"
  )
  func workIsLeftBehindAnotherThread() async throws {
    let latch = Latch()
    let owner = onThread { [object, notes] in
      object.perform {
        latch.pass()
        notes.note("owner's")
      }
    }
    try await latch.waitForArrival()
    object.perform { [notes] in notes.note("left") }
    #expect(!object.tryLock())
    #expect(notes.all.isEmpty, "The turn is taken, so the work waits.")
    let urgent = onThread { [object, notes] in
      object.performUrgently { notes.note("urgent") }
    }
    latch.open()
    await urgent.value
    #expect(notes.all.contains("urgent"))
    await owner.value
    await object.settle()
    // Which of the two comes first depends on when the urgent thread arrives.
    #expect(notes.all.first == "owner's")
    #expect(notes.all.count == 3)
    #expect(Set(notes.all) == ["left", "owner's", "urgent"])
  }

  @Test("L5: work that is queued when the holder has just unlocked is done by the thread that queued it")
  func workIsLeftBehindAnOwnerThatHasGone() {
    // As between the last look of `enterOrGiveUp` and the leaving of the work.
    object.enqueue { [object, notes] in
      notes.note("a")
      object.enqueue { notes.note("b") }
    }
    #expect(notes.all == ["a", "b"])
    #expect(object.isFree)
  }

  @Test("L5: work that is queued between the holder's last look and its unlocking is done, and then all that is due")
  func workIsLeftAfterTheLastLook() {
    let late = LockedObject()
    late.beforeUnlocking.value = { [notes] in late.enqueue { notes.note("left") } }
    late.perform { [notes] in
      late.lock.planNotification()
      late.afterUnlock { notes.note("due") }
      late.lock.afterStep { notes.note("after the step") }
    }
    #expect(notes.all == ["after the step", "left", "due"])
    #expect(late.isFree)
  }

  @Test("L5: steps that a step plans are done with the lock, behind what it deferred and before what is queued")
  func plannedStepsFollowTheStep() {
    object.plannedStep.value = { [object, notes] in notes.note("planned, lock held: \(object.isHeldHere)") }
    object.perform { [object, notes] in
      object.enqueue { notes.note("queued") }
      object.lock.planSteps()
      object.lock.afterStep { notes.note("deferred") }
      notes.note("step")
    }
    #expect(notes.all == ["step", "deferred", "planned, lock held: true", "queued"])
    #expect(object.isFree)
  }

  @Test("L5: steps planned by a planned step, or right before the lock is free, are done before that")
  func plannedStepsAreNotLeftBehind() {
    object.plannedStep.value = { [object, notes] in
      notes.note("planned")
      if notes.all.count == 1 { object.lock.planSteps() }
    }
    object.beforeUnlocking.value = { [object] in object.lock.planSteps() }
    object.perform { [object, notes] in
      object.lock.planNotification()
      object.afterUnlock { notes.note("due") }
    }
    #expect(notes.all == ["planned", "planned", "due"])
    #expect(object.isFree)
  }
}

/// Notes where it is begun.
private final class Noted: Startable, @unchecked Sendable {
  let begun = Notes<String>()

  override func makeTask(immediately: Bool) -> Task<Void, any Error>? {
    begun.note(immediately ? "here" : "in the pool")
    return Task {}
  }
}
