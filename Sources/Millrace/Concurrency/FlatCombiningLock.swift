public import Synchronization

/// A lock for which no thread waits: flat combining, after Hendler, Incze, Shavit and Tzafrir (2010).
///
/// A thread that finds the lock free takes it, does its step and unlocks. A thread that finds it taken queues its step as *work*
/// and continues; the holder does that work, in the order in which it was queued, before it unlocks. A holder does so for a
/// bounded number of steps; the rest goes to a task, its *relief*.
///
/// An *urgent* step is done before its caller returns. If the lock is taken, the caller registers the step and parks, and the
/// holder does it as soon as the step in progress is done, ahead of all queued work. The caller's thread need not run for
/// that, so a thread that locks again and again cannot keep it waiting. A caller that becomes the holder does urgent steps
/// alone: it leaves the work of others to the relief and what is to be started to the pool, for both may take long.
///
/// **The protocol.** `word` names the thread that holds the lock, or is 0, and has beside it one bit, *pending*.
///
/// | word | holds | becomes |
/// |---|---|---|
/// | `0` | free, and no work is queued | `holder` by a thread that locks (`tryLock`); `pending` by a thread that queued work or registered an urgent step |
/// | `holder` | that thread has the lock | `0` by the holder (`unlock`); `holder + pending` by a thread that queued work or registered an urgent step |
/// | `holder + pending` | the same, and there may be work | `holder` by the holder, which then takes all the work; `pending` by a holder that gives way |
/// | `pending` | free, and a thread or a relief will lock for the work | `holder + pending`, by that thread or relief |
///
/// 1. Work is appended to `queue`, and an urgent step to `urgentSteps`, *before* `pending` is set. A holder clears `pending`
///    *before* it takes either. So a step that was appended is either in what the holder takes, or its `pending` is set after
///    the clearing and makes the unlocking fail. A set `pending` without a step is possible and harmless.
/// 2. A thread that sets `pending` on a free word locks itself, unless another one does first. On a word that names a holder,
///    that holder will see it.
/// 3. A holder that gives way stores `pending` and *then* claims `isRelieved`; if it was false, it starts a relief. A relief
///    clears `isRelieved` and *then* locks on `pending`. All four are sequentially consistent, so either the relief finds the
///    lock free and takes it, or the holder that keeps it from that starts another relief.
/// 4. `tryLock` wants `0`: no thread passes work that was queued earlier. A thread or relief that locks on `pending`, by rule 2
///    or 3, goes straight to `unlockSlowly`.
/// 5. A holder looks for urgent steps before each step it does for others, and cannot lock again while `pending` is set. So
///    between the registration of an urgent step and that step at most the one step in progress is done.
/// 6. A thread reads its own identity in the word if and only if it holds the lock; nothing else is concluded from it.
/// 7. The caller of an urgent step parks only after it has read a holder in the word. A holder that frees the word with urgent
///    steps left leaves `pending` set, and *then* wakes the caller of one of them, which locks on `pending`; a holder that did an
///    urgent step wakes its caller. A wake ends the next park of a thread that is not parked. So a free word with urgent steps has
///    a caller that is awake, and needs no relief: all threads of the pool, where a relief runs, may be parked.
///
/// **The type parameters.** `Word` is the type of the words that threads share, and `Environment` the system that runs them. They let a test
/// walk this lock through its interleavings: each access of a word or a list is a call of one of the two, and in such a call the
/// types of the test decide which thread continues. ``CombiningLock`` is the lock of the system's threads.
///
/// The steps' accesses are ordered by the acquiring lock and the releasing unlock. Methods that say *for the holder* are called
/// with the lock alone.
@usableFromInline
package struct FlatCombiningLock<Word: LockWord & ~Copyable, Environment: LockEnvironment>: ~Copyable, Sendable {
  @usableFromInline
  package typealias Work = LockWork

  @inlinable static var pending: UInt { 1 }

  @usableFromInline let word = Word(0)

  /// The number of urgent steps that are registered and not taken yet; changed with them, so that no caller finds the lock
  /// free again and again because a holder took its step for another's.
  @usableFromInline let urgent = Word(0)

  /// Whether unlocking takes more than to free the word; only the holder uses it.
  @usableFromInline let hasDuties = Atomic(false)

  /// Whether the object is to be notified before the lock is free; only the holder uses it.
  private let hasPlannedNotification = Atomic(false)

  /// The lists of steps, and the holder's duties; made on first use, because few of many locks are ever contended.
  private let madeDuties = LazyObject<LockDuties<Word, Environment>>()

  @usableFromInline
  package init() {}

  // MARK: Locking and unlocking

  /// Locks if the lock is free and no work is queued.
  @inlinable
  @inline(__always)
  func tryLock() -> Bool {
    word.compareExchange(
      expected: 0, desired: Environment.runningThread(), successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged
  }

  /// Locks, looking for the lock a bounded number of times; gives up at once where work is queued and no thread does it.
  @usableFromInline
  func tryLockSpinning() -> Bool {
    if isHeldHere { return false }
    for look in 0..<Environment.looks {
      let now = word.load(ordering: .relaxed)
      if now == 0 && tryLock() { return true }
      if now == Self.pending { return false }
      Environment.pause(1 << look)
    }
    return false
  }

  /// Unlocks, unless work was queued, or there is something to do after it.
  @inlinable
  @inline(__always)
  func tryUnlock() -> Bool {
    !hasDuties.load(ordering: .relaxed) && tryFree()
  }

  /// Frees the word, unless work was queued.
  @inlinable
  @inline(__always)
  func tryFree() -> Bool {
    let now = word.load(ordering: .relaxed)
    return now & Self.pending == 0
      && word.compareExchange(
        expected: now, desired: 0, successOrdering: .releasing, failureOrdering: .relaxed
      ).exchanged
  }

  /// Whether the running thread holds the lock, so that it stands inside a step.
  @usableFromInline
  var isHeldHere: Bool {
    word.load(ordering: .relaxed) & ~Self.pending == Environment.runningThread()
  }

  /// Whether others have queued work that was not yet taken.
  @inlinable
  var hasQueuedWork: Bool {
    word.load(ordering: .relaxed) & Self.pending != 0
  }

  /// Whether urgent steps are registered, which the holder does as soon as its step is done.
  @inlinable
  var hasUrgentSteps: Bool {
    urgent.load(ordering: .relaxed) > 0
  }

  // MARK: Work

  /// Does `work` with the lock: at once if it is free, otherwise in the order of the calls.
  ///
  /// Never waits.
  @usableFromInline
  func perform(for object: any Combining, _ work: @escaping Work) {
    if tryLockSpinning() {
      work()
      if !tryUnlock() { unlockSlowly(for: object) }
    } else {
      enqueue(for: object, work)
    }
  }

  /// Queues work for the holder, behind all that was queued before.
  @usableFromInline
  func enqueue(for object: any Combining, _ work: @escaping Work) {
    let before = setPending {
      Environment.access(lists.queue) { $0.append(work) }
    }
    guard before & ~Self.pending == 0 else { return }
    if word.compareExchange(
      expected: Self.pending, desired: Environment.runningThread() | Self.pending,
      successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring
    ).exchanged {
      unlockSlowly(for: object)
    }
  }

  /// Sets `pending` once a step is appended, and returns the word before that: rule 1.
  private func setPending(after append: () -> Void) -> UInt {
    append()
    return word.bitwiseOr(Self.pending, ordering: .acquiringAndReleasing).oldValue
  }

  /// Does `work` with the lock before this returns, ahead of the work that is queued.
  ///
  /// Waits for at most the step in progress, and may have the holder do `work`. Neither does steps of others nor begins what
  /// is to be started, on this thread. Called from inside a step, it does the work right after that step.
  func performUrgently(for object: any Combining, _ work: @escaping Work) {
    if isHeldHere { return afterStep(work) }
    if tryLock() {
      work()
      if !tryUnlock() { unlockSlowly(for: object, isUrgent: true) }
    } else {
      perform(UrgentStep(work), for: object)
    }
  }

  /// Registers an urgent step, and returns once it is done.
  private func perform(_ step: UrgentStep<Word, Environment>, for object: any Combining) {
    let before = setPending {
      lists.register(step, counting: urgent)
    }
    // Also if the step is done by now: rule 2.
    if before & ~Self.pending == 0, lock(expecting: Self.pending) {
      unlockSlowly(for: object, isUrgent: true)
    }
    waitUntilDone(step, for: object)
    step.performDue()
  }

  /// Returns once an urgent step is done, by another thread or by this one; parks only while another one has the lock: rule 7.
  private func waitUntilDone(_ step: UrgentStep<Word, Environment>, for object: any Combining) {
    var looks = 0
    while step.isDone.load(ordering: .acquiring) == 0 {
      let now = word.load(ordering: .relaxed)
      if now & ~Self.pending == 0 {
        if lock(expecting: now) { unlockSlowly(for: object, isUrgent: true) }
      } else if looks < Environment.looks {
        Environment.pause(1 << looks)
        looks += 1
      } else {
        Environment.park(at: step.parking)
      }
    }
  }

  private func lock(expecting now: UInt) -> Bool {
    word.compareExchange(
      expected: now, desired: now | Environment.runningThread(), successOrdering: .sequentiallyConsistent,
      failureOrdering: .sequentiallyConsistent
    ).exchanged
  }

  /// Does the urgent steps that are registered, and returns how many it did; for the holder, between two steps.
  @discardableResult
  func performUrgentSteps(for object: any Combining) -> Int {
    var done = 0
    while done < Environment.patience, hasUrgentSteps, let step = lists.takeUrgentStep(counting: urgent) {
      let duties = duties
      performDeferred(of: duties, for: object)
      let due = duties.own.takeDue()
      step.work()
      performDeferred(of: duties, for: object)
      performNotification(of: object)
      step.finish(duties.own.takeDue(), duties.starter)
      duties.own.due = due
      done += 1
    }
    return done
  }

  /// Does `work` when the step in progress is done, with the lock; for the holder.
  func afterStep(_ work: @escaping Work) {
    let duties = duties
    duties.own.deferred.append(work)
  }

  /// Schedules a call of the object's `performSteps` for when the step in progress is done, with the lock; for the holder.
  @usableFromInline
  func planSteps() {
    let duties = duties
    duties.own.hasPlannedSteps = true
  }

  /// Does what was asked for from inside the step that has just ended.
  private func performDeferred(of duties: LockDuties<Word, Environment>, for object: any Combining) {
    while duties.own.hasPlannedSteps || !duties.own.deferred.isEmpty {
      let now = duties.own.deferred
      if !now.isEmpty { duties.own.deferred = [] }
      for work in now { work() }
      guard duties.own.hasPlannedSteps else { continue }
      duties.own.hasPlannedSteps = false
      object.performSteps()
    }
  }

  /// Does `action` once the lock is free; for the holder.
  @usableFromInline
  func afterUnlock(_ action: @escaping Work) {
    let duties = duties
    duties.own.due.append(action)
  }

  /// Starts `start` once the lock is free; for the holder.
  @usableFromInline
  func startAfterUnlock(_ start: Startable) {
    let duties = duties
    duties.own.due.starts.append(start)
  }

  /// Schedules a call of `willUnlock` before the lock is free; for the holder.
  @usableFromInline
  func planNotification() {
    hasDuties.store(true, ordering: .relaxed)
    hasPlannedNotification.store(true, ordering: .relaxed)
  }

  private func performNotification(of object: any Combining) {
    guard hasPlannedNotification.load(ordering: .relaxed) else { return }
    hasPlannedNotification.store(false, ordering: .relaxed)
    object.willUnlock()
  }

  /// Does all the work that was queued so far, and urgent steps in between; for the holder.
  func performQueuedWork(for object: any Combining) {
    let duties = duties
    for isRefilled in [false, true] {
      if isRefilled { refill(duties) }
      while let work = duties.own.backlog.popLast() {
        work()
        performDeferred(of: duties, for: object)
        performUrgentSteps(for: object)
      }
    }
  }

  // MARK: Unlocking

  /// The holder's work besides its step.
  ///
  /// It gets a name before it is changed: a change through this property counts as one of the lock for ThreadSanitizer.
  private var duties: LockDuties<Word, Environment> {
    hasDuties.store(true, ordering: .relaxed)
    return lists
  }

  /// The same object, for any thread, which uses the lists of steps alone.
  var lists: LockDuties<Word, Environment> {
    madeDuties.load() ?? madeDuties.storeIfNil(LockDuties())
  }

  /// Unlocks after all that is to be done with the lock, and then does what is to be done without it; for the holder.
  ///
  /// - Parameter isUrgent: whether the holder does urgent steps alone.
  @usableFromInline
  func unlockSlowly(for object: any Combining, isUrgent: Bool = false) {
    let duties = duties
    var patience = isUrgent ? 0 : Environment.patience
    while true {
      performDeferred(of: duties, for: object)
      patience -= performUrgentSteps(for: object)
      let isPending = word.load(ordering: .relaxed) & Self.pending != 0
      if isPending, patience > 0 {
        if duties.own.backlog.isEmpty {
          _ = word.exchange(Environment.runningThread(), ordering: .acquiringAndReleasing)
          refill(duties)
        }
        patience = performBacklog(duties, patience, for: object)
        if duties.own.backlog.isEmpty { continue }
      }
      let leavesWork = isPending || hasUrgentSteps
      performNotification(of: object)
      performDeferred(of: duties, for: object)
      if leavesWork { return giveWay(leavingWorkOf: duties, isUrgent: isUrgent, for: object) }
      let due = duties.own.takeDue()
      hasDuties.store(false, ordering: .relaxed)
      if tryFree() { return due.perform(with: duties.starter, inPool: isUrgent) }
      duties.own.due.putBack(due)
    }
  }

  /// Frees the lock with work left in the queue or the backlog, and starts a relief for it unless one is on its way.
  private func giveWay(leavingWorkOf duties: LockDuties<Word, Environment>, isUrgent: Bool, for object: any Combining) {
    let (due, starter) = (duties.own.takeDue(), duties.starter)
    let startsRelief = freeAndClaimRelief()
    if hasUrgentSteps { lists.wakeUrgentCaller() }
    if startsRelief { Environment.startRelief(of: object) }
    due.perform(with: starter, inPool: isUrgent)
  }

  /// Frees the lock with `pending` set, and returns whether a relief is to be started: rule 3.
  private func freeAndClaimRelief() -> Bool {
    _ = word.exchange(Self.pending, ordering: .sequentiallyConsistent)
    return lists.isRelieved.exchange(1, ordering: .sequentiallyConsistent) == 0
  }

  /// Does the work that a holder left behind, unless another thread has the lock, which then sees to it.
  func relieve(for object: any Combining) {
    lists.isRelieved.store(0, ordering: .sequentiallyConsistent)
    if lock(expecting: Self.pending) { unlockSlowly(for: object) }
  }

  /// Takes the queue as the backlog once that is done, its next step last; the buffers change places.
  private func refill(_ duties: LockDuties<Word, Environment>) {
    if duties.own.backlog.capacity > Environment.patience { duties.own.backlog = [] }
    swapQueue(&duties.own.backlog)
    duties.own.backlog.reverse()
  }

  private func swapQueue(_ works: inout [Work]) {
    let empty = works
    works = Environment.access(lists.queue) { queue in
      let left = queue
      queue = empty
      return left
    }
  }

  private func performBacklog(_ duties: LockDuties<Word, Environment>, _ patience: Int, for object: any Combining)
    -> Int
  {
    var patience = patience
    while true {
      patience -= performUrgentSteps(for: object)
      guard patience > 0, let work = duties.own.backlog.popLast() else { return patience }
      work()
      performDeferred(of: duties, for: object)
      patience -= 1
    }
  }
}
