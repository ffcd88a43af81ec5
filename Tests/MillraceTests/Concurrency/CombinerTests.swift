import Synchronization
import Testing

@testable import Millrace

@Suite("Combiner", .timeLimit(.minutes(1)))
struct CombinerTests {
  let combiner = Combiner()
  let notes = Notes<String>()

  @Test("Work for a free turn is done at once")
  func workIsDoneAtOnce() {
    combiner.perform { [notes] in notes.note("a") }
    #expect(notes.all == ["a"])
    #expect(combiner.word.load(ordering: .relaxed) == 0)
  }

  @Test("The turn is taken once at a time, and its owner knows that it has it")
  func theTurnIsTakenOnce() {
    #expect(!combiner.isOwnedHere)
    #expect(combiner.tryEnter())
    #expect(combiner.isOwnedHere)
    #expect(!combiner.tryEnter())
    #expect(!combiner.enterOrGiveUp())
    combiner.leave()
    #expect(!combiner.isOwnedHere)
    #expect(combiner.enterOrGiveUp())
    combiner.leave()
  }

  @Test("Work from inside a step is done after it, in order, before the outer call returns")
  func workFromInsideIsDoneAfter() {
    combiner.perform { [combiner, notes] in
      combiner.perform { notes.note("b") }
      combiner.perform {
        combiner.perform { notes.note("d") }
        notes.note("c")
      }
      notes.note("a")
    }
    #expect(notes.all == ["a", "b", "c", "d"])
  }

  @Test("Urgent work from inside a step is done right after that step, ahead of the work that was left")
  func urgentWorkFromInsideIsDoneRightAfter() {
    combiner.perform { [combiner, notes] in
      combiner.perform {
        combiner.performUrgently { notes.note("d") }
        notes.note("c")
      }
      combiner.perform { notes.note("e") }
      combiner.performUrgently { notes.note("b") }
      notes.note("a")
    }
    #expect(notes.all == ["a", "b", "c", "d", "e"])
  }

  @Test("What is due after leaving is done without the turn, in order, and may take it again")
  func whatIsDueIsDoneWithoutTheTurn() {
    combiner.perform { [combiner, notes] in
      combiner.afterLeaving {
        notes.note("b \(combiner.isOwnedHere)")
        combiner.perform { notes.note("c \(combiner.isOwnedHere)") }
      }
      combiner.afterLeaving { notes.note("d \(combiner.isOwnedHere)") }
      notes.note("a \(combiner.isOwnedHere)")
    }
    #expect(notes.all == ["a true", "b false", "c true", "d false"])
  }

  @Test("An owner does left work up to its patience; a task of the combiner's own does the rest, in order")
  func theRestGoesToARelief() async {
    let count = 3 * Combiner.patience
    let order = Notes<Int>()
    let doneAtOnce = Box(0)
    combiner.perform { [combiner] in
      for number in 0..<count { combiner.perform { order.note(number) } }
    }
    doneAtOnce.value = order.all.count
    #expect(doneAtOnce.value >= Combiner.patience)
    await combiner.settle()
    #expect(order.all == Array(0..<count))
    #expect(combiner.word.load(ordering: .relaxed) == 0)
  }

  @Test("All left work can be done from inside a step, in order")
  func leftWorkIsDoneFromInside() {
    combiner.perform { [combiner, notes] in
      combiner.perform { notes.note("a") }
      combiner.perform { notes.note("b") }
      combiner.performLeftWork()
      notes.note("c")
    }
    #expect(notes.all == ["a", "b", "c"])
    #expect(combiner.word.load(ordering: .relaxed) == 0)
  }

  @Test(
    "R3: an urgent step goes ahead of the work that is left, from inside a step too", arguments: [false, true])
  func urgentStepsGoFirst(fromInside: Bool) async {
    let urgent = Box<Task<Void, Never>?>(nil)
    combiner.perform { [combiner, notes] in
      combiner.perform {
        urgent.value = onThread { combiner.performUrgently { notes.note("urgent") } }
        combiner.waitUntilWanted()
        notes.note("a")
      }
      combiner.perform { notes.note("b") }
      if fromInside { combiner.performLeftWork() }
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
    let urgent = onThread { [combiner, notes] in
      combiner.performUrgently {
        combiner.startAfterLeaving(start)
        latch.pass()
      }
      notes.note(threads.all.contains(currentThread()) ? "did the other step" : "did its own step")
    }
    try await latch.waitForArrival()
    combiner.perform { threads.note(currentThread()) }
    latch.open()
    await urgent.value
    await combiner.settle()
    #expect(notes.all == ["did its own step"])
    #expect(threads.all.count == 1)
    #expect(start.begun.all == ["in the pool"])
  }

  @Test(
    "Work is left behind a turn that another thread has, and is done after that step; so is urgent work, before it returns"
  )
  func workIsLeftBehindAnotherThread() async throws {
    let latch = Latch()
    let owner = onThread { [combiner, notes] in
      combiner.perform {
        latch.pass()
        notes.note("owner's")
      }
    }
    try await latch.waitForArrival()
    combiner.perform { [notes] in notes.note("left") }
    #expect(!combiner.tryEnter())
    #expect(notes.all.isEmpty, "The turn is taken, so the work waits.")
    let urgent = onThread { [combiner, notes] in
      combiner.performUrgently { notes.note("urgent") }
    }
    latch.open()
    await urgent.value
    #expect(notes.all.contains("urgent"))
    await owner.value
    await combiner.settle()
    // Which of the two comes first depends on when the urgent thread arrives.
    #expect(notes.all.first == "owner's")
    #expect(notes.all.count == 3)
    #expect(Set(notes.all) == ["left", "owner's", "urgent"])
  }

  @Test("L5: work that is left when the owner has just gone is done by the thread that left it")
  func workIsLeftBehindAnOwnerThatHasGone() {
    // As between the last look of `enterOrGiveUp` and the leaving of the work.
    combiner.enqueue { [combiner, notes] in
      notes.note("a")
      combiner.enqueue { notes.note("b") }
    }
    #expect(notes.all == ["a", "b"])
    #expect(combiner.word.load(ordering: .relaxed) == 0)
  }

  @Test("L5: work that is left between the owner's last look and its leaving is done, and then all that is due")
  func workIsLeftAfterTheLastLook() {
    let late = LateWork()
    late.beforeLeaving.value = { [notes] in late.enqueue { notes.note("left") } }
    late.perform { [notes] in
      late.afterLeaving { notes.note("due") }
      late.performAfterStep { notes.note("after the step") }
    }
    #expect(notes.all == ["after the step", "left", "due"])
    #expect(late.word.load(ordering: .relaxed) == 0)
  }
}

/// A combiner at which something happens once when its owner has looked for work and is about to leave.
private final class LateWork: Combiner, @unchecked Sendable {
  let beforeLeaving = Box<(@Sendable () -> Void)?>(nil)

  override func prepareToLeave() {
    let late = beforeLeaving.update { late in
      defer { late = nil }
      return late
    }
    late?()
  }
}

/// Notes where it is begun.
private final class Noted: Startable, @unchecked Sendable {
  let begun = Notes<String>()

  override func begin(immediately: Bool) -> Task<Void, Never>? {
    begun.note(immediately ? "here" : "in the pool")
    return Task {}
  }
}
