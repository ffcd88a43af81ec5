public import Synchronization

/// Gives out the turn: at any time at most one thread owns what a combiner guards, and nobody waits for it.
///
/// A thread that finds the turn free takes it, does its step and leaves. A thread that finds it taken leaves its step as
/// *work* and continues; the owner does that work, in the order it was left, before it leaves. An owner does so for a
/// bounded number of steps; the rest goes to a task of the combiner's own, its *relief*.
///
/// An *urgent* step is done before its caller returns. If the turn is taken, the caller registers the step and waits, and the
/// owner does it as soon as the step in progress is done, ahead of all left work. The caller's thread need not run for
/// that, so a thread that enters again and again cannot keep it waiting. A caller that becomes the owner does urgent steps
/// alone: it leaves the work of others to the relief and what is to be started to the pool, for both may take long.
///
/// **The protocol.** `word` holds the owner's thread, or 0, and beside it one bit, *pending*.
///
/// | word | holds | becomes |
/// |---|---|---|
/// | `0` | free, and no work is left | `owner` by a thread that enters (`tryEnter`); `pending` by a thread that left work or registered an urgent step |
/// | `owner` | that thread has the turn | `0` by the owner (`leave`); `owner + pending` by a thread that left work or registered an urgent step |
/// | `owner + pending` | the same, and there may be work | `owner` by the owner, which then takes all the work; `pending` by an owner that gives way |
/// | `pending` | free, and a thread or a relief will enter for the work | `owner + pending`, by that thread or relief |
///
/// 1. Work is appended to `queue`, and an urgent step to `urgentSteps`, *before* `pending` is set. An owner clears `pending`
///    *before* it takes either. So a step that was appended is either in what the owner takes, or its `pending` is set after
///    the clearing and makes the leave fail. A set `pending` without a step is possible and harmless.
/// 2. A thread that sets `pending` on a free word enters itself, unless another one does first. On an owned word the owner
///    will see it.
/// 3. An owner that gives way stores `pending` and *then* claims `isRelieved`; if it was false, it starts a relief. A relief
///    clears `isRelieved` and *then* enters on `pending`. All four are sequentially consistent, so either the relief finds
///    the turn free and enters, or the owner that keeps it from entering starts another relief.
/// 4. `tryEnter` wants `0`: no thread passes work that was left earlier. Entries on `pending` are those of rule 2 and of
///    reliefs, and they go straight to `leaveAfterErrands`.
/// 5. An owner looks for urgent steps before each step it does for others, and its next entry fails while `pending` is set.
///    So between the registration of an urgent step and that step at most the one step in progress is done.
/// 6. A thread reads its own identity in the word if and only if it is the owner; nothing else is concluded from it.
///
/// Everything marked *owner's* is touched by the owner alone. The steps' accesses are ordered by the acquiring entry and the
/// releasing leave.
@usableFromInline
package class Combiner: @unchecked Sendable {
  /// A step to be done with the turn.
  @usableFromInline
  package typealias Work = @Sendable () -> Void

  @inlinable static var pending: UInt { 1 }

  /// How often a thread looks for the turn to become free before it leaves its step as work: for microseconds at most.
  static let looks = 8

  /// How many steps of others an owner does, and how many handlers a thread starts, before the rest goes to the pool.
  static let patience = 1_024

  @usableFromInline final let word = Atomic<UInt>(0)

  /// The number of urgent steps that are registered and not taken yet; changed with them, so that no caller finds the turn free
  /// again and again because an owner took its step for another's.
  @usableFromInline final let urgent = Atomic<Int>(0)
  private final let urgentSteps = Lock<[UrgentStep]>([])
  private final let queue = Lock<[Work]>([])

  /// Whether a relief was started that has not run yet.
  private final let isRelieved = Atomic(false)

  /// Whether a leave has more to do than to free the turn.
  ///
  /// *Owner's.*
  @exclusivity(unchecked) @usableFromInline final var hasErrands = false

  /// What is rarely needed, made on first use.
  ///
  /// *Owner's*, but for its starter.
  @exclusivity(unchecked) private final var errands: Errands?

  @usableFromInline
  package init() {}

  // MARK: Entering and leaving

  /// Takes the turn if it is free and no work is left.
  @inlinable
  @inline(__always)
  final func tryEnter() -> Bool {
    word.compareExchange(
      expected: 0, desired: currentThread(), successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged
  }

  /// Takes the turn, looking for it a bounded number of times; gives up at once where work is left and nobody is at it.
  @usableFromInline
  final func enterOrGiveUp() -> Bool {
    if isOwnedHere { return false }
    for look in 0..<Combiner.looks {
      let now = word.load(ordering: .relaxed)
      if now == 0, tryEnter() { return true }
      if now == Combiner.pending { return false }
      pause(1 << look)
    }
    return false
  }

  /// Gives the turn up, after all that is left to do.
  @inlinable
  @inline(__always)
  final func leave() {
    if !hasErrands, tryLeave() { return }
    leaveAfterErrands()
  }

  /// Frees the turn, unless work was left.
  @inlinable
  @inline(__always)
  final func tryLeave() -> Bool {
    let now = word.load(ordering: .relaxed)
    return now & Combiner.pending == 0
      && word.compareExchange(
        expected: now, desired: 0, successOrdering: .releasing, failureOrdering: .relaxed
      ).exchanged
  }

  /// Whether the running thread has the turn, so that it stands inside a step.
  @usableFromInline
  final var isOwnedHere: Bool {
    word.load(ordering: .relaxed) & ~Combiner.pending == currentThread()
  }

  /// Whether others have left work that was not yet taken.
  @inlinable
  final var hasLeftWork: Bool {
    word.load(ordering: .relaxed) & Combiner.pending != 0
  }

  /// Whether urgent steps are registered, which the owner does as soon as its step is done.
  @inlinable
  final var isWanted: Bool {
    urgent.load(ordering: .relaxed) > 0
  }

  // MARK: Work

  /// Does `work` with the turn: at once if it is free, otherwise in the order of the calls.
  ///
  /// Never waits.
  @usableFromInline
  final func perform(_ work: @escaping Work) {
    if enterOrGiveUp() {
      work()
      leave()
    } else {
      enqueue(work)
    }
  }

  /// Leaves work for the owner, behind all that was left before.
  @usableFromInline
  final func enqueue(_ work: @escaping Work) {
    queue.withLock { $0.append(work) }
    let before = word.bitwiseOr(Combiner.pending, ordering: .acquiringAndReleasing).oldValue
    guard before & ~Combiner.pending == 0 else { return }
    if word.compareExchange(
      expected: Combiner.pending, desired: currentThread() | Combiner.pending, ordering: .acquiringAndReleasing
    ).exchanged {
      leaveAfterErrands()
    }
  }

  /// Does `work` with the turn before this returns, ahead of the work that was left.
  ///
  /// Waits for at most the step in progress, and may have the owner do `work`. Neither does steps of others nor begins what
  /// is to be started, on this thread. Called from inside a step, it does the work right after that step.
  final func performUrgently(_ work: @escaping Work) {
    if isOwnedHere { return performAfterStep(work) }
    if tryEnter() {
      work()
      if hasErrands || !tryLeave() { leaveAfterErrands(isUrgent: true) }
    } else {
      perform(UrgentStep(work))
    }
  }

  /// Returns the result of `work`, done as by `performUrgently`; nil inside a step.
  final func performNow<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Value? {
    if isOwnedHere { return nil }
    let result = Lock<Value?>(nil)
    performUrgently {
      let value = work()
      result.withLock { $0 = value }
    }
    return result.withLock { $0 }
  }

  /// Registers an urgent step, and returns once it is done.
  private final func perform(_ step: UrgentStep) {
    urgentSteps.withLock { steps in
      steps.append(step)
      urgent.add(1, ordering: .relaxed)
    }
    let before = word.bitwiseOr(Combiner.pending, ordering: .acquiringAndReleasing).oldValue
    // Also if the step is done by now: rule 2.
    if before & ~Combiner.pending == 0, enter(expecting: Combiner.pending) { leaveAfterErrands(isUrgent: true) }
    var looks = 0
    while !step.isDone.load(ordering: .acquiring) {
      let now = word.load(ordering: .relaxed)
      if now & ~Combiner.pending == 0, enter(expecting: now) {
        leaveAfterErrands(isUrgent: true)
      } else {
        looks += 1
        if looks > Combiner.looks { yieldProcessor() }
      }
    }
    step.performDue()
  }

  private final func enter(expecting now: UInt) -> Bool {
    word.compareExchange(
      expected: now, desired: now | currentThread(), successOrdering: .sequentiallyConsistent,
      failureOrdering: .sequentiallyConsistent
    ).exchanged
  }

  /// Does the urgent steps that are registered, and returns how many it did; called between two steps of one turn.
  ///
  /// *Owner's.*
  @discardableResult
  final func performUrgentSteps() -> Int {
    var done = 0
    while done < Combiner.patience, isWanted, let step = takeUrgentStep() {
      let errands = ownErrands
      errands.performDeferred()
      let due = errands.takeDue()
      step.work()
      errands.performDeferred()
      prepareToLeave()
      step.finish(errands.takeDue(), errands.starter)
      errands.due = due
      done += 1
    }
    return done
  }

  private final func takeUrgentStep() -> UrgentStep? {
    urgentSteps.withLock { steps in
      if steps.isEmpty { return nil }
      urgent.subtract(1, ordering: .relaxed)
      return steps.removeFirst()
    }
  }

  /// Does `work` when the step in progress is done, with the same turn.
  ///
  /// *Owner's.*
  final func performAfterStep(_ work: @escaping Work) {
    ownErrands.deferred.append(work)
  }

  /// Does `action` once this turn is given up.
  ///
  /// *Owner's.*
  @usableFromInline
  final func afterLeaving(_ action: @escaping Work) {
    ownErrands.due.actions.append(action)
  }

  /// Starts `start` once this turn is given up.
  ///
  /// *Owner's.*
  @usableFromInline
  final func startAfterLeaving(_ start: Startable) {
    ownErrands.due.starts.append(start)
  }

  /// Does all the work that was left so far, and urgent steps in between.
  ///
  /// *Owner's.*
  final func performLeftWork() {
    let errands = ownErrands
    for isRefilled in [false, true] {
      if isRefilled { refill(errands) }
      while let work = errands.backlog.popLast() {
        work()
        errands.performDeferred()
        performUrgentSteps()
      }
    }
  }

  /// What is done with the turn, right before it is given up; may be called more often than that.
  ///
  /// *Owner's.*
  func prepareToLeave() {}

  // MARK: The way out

  private final var ownErrands: Errands {
    hasErrands = true
    if let errands { return errands }
    let made = Errands()
    errands = made
    return made
  }

  @usableFromInline
  @inline(never)
  final func leaveAfterErrands() {
    leaveAfterErrands(isUrgent: false)
  }

  /// - Parameter isUrgent: whether the owner does urgent steps alone.
  private final func leaveAfterErrands(isUrgent: Bool) {
    let errands = ownErrands
    var patience = isUrgent ? 0 : Combiner.patience
    while true {
      errands.performDeferred()
      patience -= performUrgentSteps()
      let isPending = word.load(ordering: .relaxed) & Combiner.pending != 0
      if isPending, patience > 0 {
        if errands.backlog.isEmpty {
          _ = word.exchange(currentThread(), ordering: .acquiringAndReleasing)
          refill(errands)
        }
        patience = performBacklog(errands, patience)
        if errands.backlog.isEmpty { continue }
      }
      let leavesWork = isPending
      prepareToLeave()
      errands.performDeferred()
      if leavesWork {
        giveWay(leavingWorkOf: errands, isUrgent: isUrgent)
        return
      }
      let due = errands.takeDue()
      hasErrands = false
      if tryLeave() {
        due.perform(with: errands.starter, inPool: isUrgent)
        return
      }
      errands.due.putBack(due)
    }
  }

  /// Frees the turn with work left in the queue or the backlog, and starts a relief for it unless one is on its way.
  private final func giveWay(leavingWorkOf errands: Errands, isUrgent: Bool) {
    let (due, starter) = (errands.takeDue(), errands.starter)
    word.store(Combiner.pending, ordering: .sequentiallyConsistent)
    if !isRelieved.exchange(true, ordering: .sequentiallyConsistent) {
      Task.detached { self.relieve() }
    }
    due.perform(with: starter, inPool: isUrgent)
  }

  /// Does the work that an owner left behind, unless another thread has the turn, which then sees to it.
  private final func relieve() {
    isRelieved.store(false, ordering: .sequentiallyConsistent)
    if enter(expecting: Combiner.pending) { leaveAfterErrands() }
  }

  /// Takes the queue as the backlog once that is done, its next step last; the buffers change places.
  private final func refill(_ errands: Errands) {
    guard errands.backlog.isEmpty else { return }
    if errands.backlog.capacity > Combiner.patience { errands.backlog = [] }
    swapQueue(&errands.backlog)
    errands.backlog.reverse()
  }

  private final func swapQueue(_ works: inout [Work]) {
    let empty = works
    works = queue.withLock { queue in
      let left = queue
      queue = empty
      return left
    }
  }

  private final func performBacklog(_ errands: Errands, _ patience: Int) -> Int {
    var patience = patience
    while true {
      patience -= performUrgentSteps()
      guard patience > 0, let work = errands.backlog.popLast() else { return patience }
      work()
      errands.performDeferred()
      patience -= 1
    }
  }
}
