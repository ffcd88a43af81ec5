import MillraceSystem
public import Synchronization

/// A word of memory that threads share, as a lock needs it; `Atomic<UInt>` but for a test that decides which thread continues.
@usableFromInline
package protocol LockWord: ~Copyable, Sendable {
  init(_ value: consuming UInt)

  func load(ordering: AtomicLoadOrdering) -> UInt

  func store(_ desired: consuming UInt, ordering: AtomicStoreOrdering)

  func exchange(_ desired: consuming UInt, ordering: AtomicUpdateOrdering) -> UInt

  func compareExchange(
    expected: consuming UInt, desired: consuming UInt, successOrdering: AtomicUpdateOrdering,
    failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: UInt)

  func bitwiseOr(_ operand: UInt, ordering: AtomicUpdateOrdering) -> (oldValue: UInt, newValue: UInt)
}

extension Atomic: LockWord where Value == UInt {}

/// The system that a combining lock runs on: the running thread, the ways to wait, and the pool that runs reliefs.
@usableFromInline
package protocol LockEnvironment: Sendable {
  /// The means by which one thread parks.
  associatedtype Parking: Sendable

  /// The number of looks that a thread takes for the lock to become free before it queues its step.
  static var looks: Int { get }

  /// The number of steps of others that a holder does before the rest goes to a relief.
  static var patience: Int { get }

  /// A number that tells the running thread from every other one that lives; even, and never 0.
  static func runningThread() -> UInt

  /// Spends a moment without touching memory.
  static func pause(_ turns: Int)

  /// Creates the parking of the running thread.
  static func makeParking() -> Parking

  /// Blocks the thread until it is woken; returns at once if it was woken since it parked last.
  static func park(at parking: Parking)

  /// Wakes the thread of this parking, now or next; never blocks.
  static func wake(_ parking: Parking)

  /// Runs `body` on the state of one of the lock's lists.
  static func access<State, Result>(
    _ list: borrowing Lock<State>, _ body: (inout sending State) -> sending Result
  ) -> sending Result

  /// Calls `relieve` on the object, later and on another thread.
  static func startRelief(of object: any Combining)
}

/// The environment of every lock but those of a test.
@usableFromInline
package enum SystemEnvironment: LockEnvironment {
  /// Eight, which take microseconds at most; one in a process with one processor, where the holder cannot unlock meanwhile.
  @usableFromInline package static let looks = millrace_processors() > 1 ? 8 : 1

  @usableFromInline package static var patience: Int { 1_024 }

  @inlinable
  @inline(__always)
  package static func runningThread() -> UInt {
    currentThread()
  }

  @usableFromInline
  package static func pause(_ turns: Int) {
    Millrace.pause(turns)
  }

  @usableFromInline
  package static func makeParking() -> Semaphore {
    Semaphore()
  }

  @usableFromInline
  package static func park(at parking: Semaphore) {
    parking.wait()
  }

  @usableFromInline
  package static func wake(_ parking: Semaphore) {
    parking.signal()
  }

  @inlinable
  @inline(__always)
  package static func access<State, Result>(
    _ list: borrowing Lock<State>, _ body: (inout sending State) -> sending Result
  ) -> sending Result {
    list.withLock(body)
  }

  @usableFromInline
  package static func startRelief(of object: any Combining) {
    Task.detached { object.relieve() }
  }
}

/// An object whose state a combining lock guards.
@usableFromInline
package protocol Combining: AnyObject, Sendable {
  /// Called with the lock, between two steps, after a step has planned it.
  func performSteps()

  /// Called with the lock, right before it is free, if a step has planned it; may be called more often than that.
  func willUnlock()

  /// Passes the call on to its lock; called in a task that holds the object.
  func relieve()
}
