public import Synchronization

/// The combining lock of the system's threads: ``FlatCombiningLock``, specialised here once for all modules.
///
/// Locking and unlocking are inlined in clients. All else is compiled here, where the type parameters are known: a client that called
/// the generic methods would call them unspecialised. With a typealias in its place `handle/effect` was 24 % slower, and
/// `send/decided` 7 %.
@usableFromInline
package struct CombiningLock: ~Copyable, Sendable {
  /// A step to be done with the lock.
  @usableFromInline
  package typealias Work = LockWork

  /// The number of steps of others that a holder does, and of handlers that a thread starts, before the rest goes to the pool.
  static var patience: Int { SystemEnvironment.patience }

  @usableFromInline let base = FlatCombiningLock<Atomic<UInt>, SystemEnvironment>()

  @usableFromInline
  package init() {}

  // MARK: Locking and unlocking

  @inlinable
  @inline(__always)
  func tryLock() -> Bool {
    base.tryLock()
  }

  @usableFromInline
  func tryLockSpinning() -> Bool {
    base.tryLockSpinning()
  }

  @inlinable
  @inline(__always)
  func tryUnlock() -> Bool {
    base.tryUnlock()
  }

  @usableFromInline
  func unlockSlowly(for object: any Combining) {
    base.unlockSlowly(for: object)
  }

  @usableFromInline var isHeldHere: Bool { base.isHeldHere }

  @inlinable var hasQueuedWork: Bool { base.hasQueuedWork }

  @inlinable var hasUrgentSteps: Bool { base.hasUrgentSteps }

  @inlinable var hasDuties: Bool { base.hasDuties.load(ordering: .relaxed) }

  // MARK: Work

  @usableFromInline
  func perform(for object: any Combining, _ work: @escaping Work) {
    base.perform(for: object, work)
  }

  @usableFromInline
  func enqueue(for object: any Combining, _ work: @escaping Work) {
    base.enqueue(for: object, work)
  }

  func performUrgently(for object: any Combining, _ work: @escaping Work) {
    base.performUrgently(for: object, work)
  }

  @discardableResult
  func performUrgentSteps(for object: any Combining) -> Int {
    base.performUrgentSteps(for: object)
  }

  func performQueuedWork(for object: any Combining) {
    base.performQueuedWork(for: object)
  }

  func relieve(for object: any Combining) {
    base.relieve(for: object)
  }

  // MARK: Duties

  func afterStep(_ work: @escaping Work) {
    base.afterStep(work)
  }

  @usableFromInline
  func planSteps() {
    base.planSteps()
  }

  @usableFromInline
  func afterUnlock(_ action: @escaping Work) {
    base.afterUnlock(action)
  }

  @usableFromInline
  func startAfterUnlock(_ start: Startable) {
    base.startAfterUnlock(start)
  }

  @usableFromInline
  func planNotification() {
    base.planNotification()
  }
}
