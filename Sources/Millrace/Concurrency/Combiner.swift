public import Synchronization

/// Gives out the turn: at any time at most one thread owns what a combiner guards, and nobody waits for it.
///
/// A thread that finds the turn free takes it, does its step and leaves. One that finds it taken leaves its step as
/// *work* and goes on; the owner does that work, in the order it was left, before it leaves. An owner does so for a
/// bounded number of steps; the rest goes to a task of the combiner's own.
///
/// **The protocol.** `word` holds the owner's thread, or 0, and beside it one bit, *pending*.
///
/// | word | holds | becomes |
/// |---|---|---|
/// | `0` | free, and no work is left | `owner` by whoever sets it (`tryEnter`); `pending` by one who left work |
/// | `owner` | that thread has the turn | `0` by the owner (`leave`); `owner + pending` by one who left work |
/// | `owner + pending` | the same, and there may be work | `owner` by the owner, who then takes all the work; `pending` by an owner who gives way |
/// | `pending` | free, and somebody is bound to come for the work | `owner + pending`, by whoever that is |
///
/// 1. Work is appended to `queue` *before* `pending` is set. An owner clears `pending` *before* it takes the queue. So work
///    that was appended is either in what the owner takes, or its `pending` is set after the clearing and makes the leave
///    fail. A set `pending` over an empty queue is possible and harmless.
/// 2. Who sets `pending` on a free word enters itself, unless somebody else does first. On an owned word the owner will see
///    it.
/// 3. An owner leaves `pending` behind only if a task is on its way (`isRelieved`), or if `urgent` counts somebody who is
///    trying to enter and will.
/// 4. `tryEnter` wants `0`: nobody passes work that was left earlier. Only who left work, and `enterUrgently`, enter on
///    `pending`.
/// 5. A thread reads its own identity in the word if and only if it is the owner; nothing else is concluded from it.
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
  @usableFromInline final let urgent = Atomic<Int>(0)
  private final let queue = Lock<[Work]>([])

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

  /// Whether the owner should leave as soon as its step is done.
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
  /// Waits for at most the step in progress. Called from inside a step, it does the work right after that step.
  final func performUrgently(_ work: @escaping Work) {
    if isOwnedHere { return performAfterStep(work) }
    enterUrgently()
    work()
    leave()
  }

  /// What `work` returns, done with the turn before this returns, ahead of the work that was left; nil inside of a step.
  final func performNow<Value>(_ work: () -> Value) -> Value? {
    if isOwnedHere { return nil }
    enterUrgently()
    defer { leave() }
    return work()
  }

  private final func enterUrgently() {
    urgent.add(1, ordering: .relaxed)
    var looks = 0
    while true {
      let now = word.load(ordering: .relaxed)
      if now & ~Combiner.pending == 0,
        word.compareExchange(
          expected: now, desired: now | currentThread(), successOrdering: .acquiring, failureOrdering: .relaxed
        ).exchanged
      {
        break
      }
      looks += 1
      if looks > Combiner.looks { yieldProcessor() }
    }
    urgent.subtract(1, ordering: .relaxed)
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

  /// Does all the work that was left so far.
  ///
  /// *Owner's.*
  final func performLeftWork() {
    let errands = ownErrands
    for isRefilled in [false, true] {
      if isRefilled { refill(errands) }
      while let work = errands.backlog.popLast() {
        work()
        errands.performDeferred()
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
    let errands = ownErrands
    var patience = Combiner.patience
    while true {
      errands.performDeferred()
      let isPending = word.load(ordering: .relaxed) & Combiner.pending != 0
      if isPending, patience > 0, !isWanted {
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
        giveWay(leavingWorkOf: errands)
        return
      }
      let due = errands.takeDue()
      hasErrands = false
      if tryLeave() {
        due.perform(with: errands.starter)
        return
      }
      errands.due.putBack(due)
    }
  }

  /// Frees the turn with work left in the queue or the backlog, and sees to it that somebody comes for it.
  private final func giveWay(leavingWorkOf errands: Errands) {
    let due = errands.takeDue()
    let needsRelief = !isWanted && !errands.isRelieved
    if needsRelief { errands.isRelieved = true }
    word.store(Combiner.pending, ordering: .releasing)
    if needsRelief {
      Task.detached { self.relieve() }
    }
    due.perform(with: errands.starter)
  }

  /// Comes for work that an owner left behind.
  private final func relieve() {
    enterUrgently()
    ownErrands.isRelieved = false
    leave()
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
    while patience > 0, !isWanted, let work = errands.backlog.popLast() {
      work()
      errands.performDeferred()
      patience -= 1
    }
    return patience
  }
}
