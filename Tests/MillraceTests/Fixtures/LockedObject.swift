import Synchronization
import Testing

@testable import Millrace

/// Something with a combining lock, as its tests use it.
protocol HasCombiningLock: Combining {
  var hasUrgentSteps: Bool { get }

  func perform(_ work: @escaping CombiningLock.Work)

  func afterUnlock(_ work: @escaping CombiningLock.Work)
}

extension HasCombiningLock {
  /// Keeps this thread, inside a step, until another one has registered an urgent step; fails after a minute.
  ///
  /// The other thread cannot tell of that itself, because it waits for its step from then on.
  func waitUntilWanted() {
    let limit = ContinuousClock.now + .seconds(60)
    while !hasUrgentSteps {
      if ContinuousClock.now > limit {
        Issue.record("No thread registered an urgent step; start one that does before this wait.")
        return
      }
    }
  }

  /// Waits until all work that was queued before this call is done.
  func settle() async {
    await withCheckedContinuation { continuation in
      perform {
        self.afterUnlock { continuation.resume() }
      }
    }
  }
}

extension StoreCore: HasCombiningLock {
  var hasUrgentSteps: Bool { lock.hasUrgentSteps }

  func perform(_ work: @escaping CombiningLock.Work) {
    lock.perform(for: self, work)
  }

  func afterUnlock(_ work: @escaping CombiningLock.Work) {
    lock.afterUnlock(work)
  }
}

/// Nothing but a lock.
final class LockedObject: HasCombiningLock {
  let lock = CombiningLock()

  /// Called once, when the holder has looked for work and is about to unlock.
  let beforeUnlocking = Box<(@Sendable () -> Void)?>(nil)

  /// Called for each planned step.
  let plannedStep = Box<(@Sendable () -> Void)?>(nil)

  var hasUrgentSteps: Bool { lock.hasUrgentSteps }

  var isFree: Bool { lock.base.word.load(ordering: .relaxed) == 0 }

  var isHeldHere: Bool { lock.isHeldHere }

  func tryLock() -> Bool { lock.tryLock() }

  func tryLockSpinning() -> Bool { lock.tryLockSpinning() }

  func unlock() {
    if !lock.tryUnlock() { lock.unlockSlowly(for: self) }
  }

  func perform(_ work: @escaping CombiningLock.Work) {
    lock.perform(for: self, work)
  }

  func performUrgently(_ work: @escaping CombiningLock.Work) {
    lock.performUrgently(for: self, work)
  }

  func enqueue(_ work: @escaping CombiningLock.Work) {
    lock.enqueue(for: self, work)
  }

  func afterUnlock(_ work: @escaping CombiningLock.Work) {
    lock.afterUnlock(work)
  }

  func performSteps() {
    plannedStep.value?()
  }

  func willUnlock() {
    let late = beforeUnlocking.update { late in
      defer { late = nil }
      return late
    }
    late?()
  }

  func relieve() {
    lock.relieve(for: self)
  }
}
