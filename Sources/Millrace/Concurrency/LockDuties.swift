import Synchronization

/// A step to be done with a lock, or work that follows once the lock is free.
@usableFromInline
package typealias LockWork = @Sendable () -> Void

/// The steps that threads leave to the holder of a lock, and its own work besides its step.
///
/// Any thread uses the two lists, `isRelieved` and the starter.
final class LockDuties<Word: LockWord & ~Copyable, Environment: LockEnvironment>: @unchecked Sendable {
  let queue = Lock<[LockWork]>([])
  let urgentSteps = Lock<[UrgentStep<Word, Environment>]>([])

  /// 1 if a relief was started that has not run yet, and else 0.
  let isRelieved = Word(0)

  /// Starts what is due.
  let starter = Starter()

  /// The holder's own work.
  @exclusivity(unchecked) var own = HolderDuties()

  /// Adds an urgent step, and counts the steps in `urgent`.
  func register(_ step: UrgentStep<Word, Environment>, counting urgent: borrowing Word) {
    Environment.access(urgentSteps) { steps in
      steps.append(step)
      urgent.store(UInt(steps.count), ordering: .relaxed)
    }
  }

  /// Removes the first urgent step, and counts the rest in `urgent`.
  func takeUrgentStep(counting urgent: borrowing Word) -> UrgentStep<Word, Environment>? {
    Environment.access(urgentSteps) { steps in
      if steps.isEmpty { return nil }
      let first = steps.removeFirst()
      urgent.store(UInt(steps.count), ordering: .relaxed)
      return first
    }
  }

  /// Wakes the caller of the first urgent step.
  func wakeUrgentCaller() {
    let first = Environment.access(urgentSteps) { $0.first }
    if let first { Environment.wake(first.parking) }
  }
}

/// The work of a lock's holder besides its step; only the holder touches it.
struct HolderDuties {
  /// Steps that this thread asked for from inside a step, to be done right after it.
  var deferred: [LockWork] = []

  /// Whether the object has planned steps of its own, to be done behind those.
  var hasPlannedSteps = false

  /// Work taken from the queue and not yet done, the next one last.
  var backlog: [LockWork] = []

  /// The work that follows once the lock is free.
  var due = Due()

  /// Hands over what is due.
  mutating func takeDue() -> Due {
    var taken = Due()
    swap(&taken, &due)
    return taken
  }
}

/// Work that follows once the lock is free, in the order in which it was asked for: starts last.
///
/// The first action stands beside the others, because most steps leave one alone, which then takes no memory.
struct Due {
  private var first: LockWork?
  private var others: [LockWork] = []
  var starts = StartChain()

  mutating func append(_ action: @escaping LockWork) {
    if first == nil { first = action } else { others.append(action) }
  }

  /// Takes back what could not be done yet, ahead of what came after.
  mutating func putBack(_ earlier: Due) {
    let later = self
    self = earlier
    if let action = later.first { append(action) }
    for action in later.others { append(action) }
    starts.append(later.starts)
  }

  func perform(with starter: Starter, inPool: Bool) {
    first?()
    for action in others { action() }
    if !starts.isEmpty { starter.start(starts, inPool: inPool) }
  }
}

/// A step whose caller waits until it is done, by the holder of the lock or by the caller itself.
final class UrgentStep<Word: LockWord & ~Copyable, Environment: LockEnvironment>: @unchecked Sendable {
  let work: LockWork

  /// The parking of the caller.
  let parking = Environment.makeParking()

  /// 1 once the step is done, and `due` and `starter` are the caller's; else 0.
  let isDone = Word(0)

  private var due = Due()
  private var starter: Starter?

  init(_ work: @escaping LockWork) {
    self.work = work
  }

  /// Passes the work that the step left to be done without the lock to the caller, and wakes it.
  func finish(_ due: Due, _ starter: Starter) {
    self.due = due
    self.starter = starter
    isDone.store(1, ordering: .releasing)
    Environment.wake(parking)
  }

  /// Does what the step left to be done without the lock, on the thread of its caller; starts are begun in the pool.
  func performDue() {
    if let starter { due.perform(with: starter, inPool: true) }
  }
}
