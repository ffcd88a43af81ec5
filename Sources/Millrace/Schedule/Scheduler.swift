import Synchronization

/// The scheduler decides who runs when: a value without tasks, locks, clocks, states and interactors.
///
/// Its owner tells it an event with the time, and then performs the actions it answers, in their order. Performing an action may
/// raise another event, whose actions are performed before the next one. Everything up to there is one step. Work that belongs
/// to a step of its own stands in line until the owner asks for the next step.
///
/// | File | The part of the way |
/// |---|---|
/// | SchedulerEvents | the events, and the actions that it answers |
/// | Scheduler | arrival, decision, start, return, end |
/// | Scheduler+Keys | overlap, turns, shared runs, and which keys are remembered |
/// | Scheduler+Time | pace, timeouts, attempts, retries and breakers |
/// | Scheduler+Limits | permits of limits, slots, the lines in which actions wait for them, and the runs that have given them back |
/// | Scheduler+Owners | the runs that an action waits for, for requests that can never be answered |
/// | Scheduler+Waiting | the waiting room, and the end of the store |
///
/// It is noncopyable, because reading one part of a copyable property may copy the whole value and retain each of its arrays.
@usableFromInline
struct Scheduler: ~Copyable {
  /// Names an action from its addition until it is forgotten.
  @usableFromInline typealias Handle = ActionHandle
  typealias KeyIndex = KeyTable.Index
  typealias List = HandleLists.List
  typealias Line = WaitingLine

  /// A step that is due.
  enum Step {
    /// Take up an action of the key that waits for its turn, and so on until there is none, or no turn.
    case takeUpWaiting(KeyIndex)
    /// Pass the action that the key delays.
    case letPass(KeyIndex)
    /// Give the free slots to the lines that wait for one.
    case giveSlots
    /// Give the next actions that share a run, which has finished, their outcome.
    case endMembers(Handle)
    case admit
    case finishIfDrained
  }

  /// The work of an instant.
  enum Timer {
    case timeout(Handle)
    case attemptTimeout(Handle)
    case nextAttempt(Handle)
    case debounceEnd(KeyIndex)
    case spacingEnd(KeyIndex)
    case windowEnd(KeyIndex)
    case forget(KeyIndex)
    case drainEnd
  }

  enum Lifecycle: Equatable {
    case open
    case draining
    case closed
  }

  /// An action that has not ended, or whose handlers have not all returned.
  struct Entry {
    var phase = RunPhase()

    /// The index of its plan, or of its state while it waits.
    var plan: Int32?
  }

  // MARK: What there is

  var entries = Slab(blank: Entry())
  var plans = Slab(blank: PlannedAction())
  var keys = KeyTable()
  var timers = TimerQueue<Timer>()

  /// Actions that run, that wait, or that have ended while handlers are out; each stands in one of the lists at most.
  var standing = HandleLists()
  var runs = List()
  var room = List()

  /// The actions that wait and are handled again: beside the room, so that no bound applies to them and no other action displaces them.
  var restored = List()
  var notReturned = List()

  /// The actions that wait for the turn of their key, for permits or a slot, or that share a run; each is in at most one of
  /// the lists.
  var queues = HandleLists()

  /// The line of the actions without limits.
  var ownLine = Line()

  /// The lines in which an action may begin once a slot is free, in the order in which they get one.
  var rings = HandleLists()
  var ring = List()

  /// The actions of each key that have not ended.
  var liveActions = HandleLists()

  var namedPlans = NamedPlans()

  /// The waiting actions by the first limit of their plans; empty unless the overflow policy asks for it.
  var waitingCounts = WaitingCounts()

  let limits: StoreConfiguration.Limits

  /// The largest number of actions that share a run and get the outcome `finished` in one step.
  let membersAStep: Int

  /// The number of handlers that may still be begun.
  @usableFromInline var freeSlots: Int32

  /// The number of actions that wait, by what for.
  var waits = WaitTally()

  /// The number of suspended submits.
  var submitting = 0

  var lifecycle = Lifecycle.open
  var drainEnd: TimerQueue<Timer>.ID?
  var callers: [Handle] = []

  /// The number of runs that have no slot, because they rest or wait for one again; those that have ended meanwhile and whose handlers
  /// have not returned are counted too, and in `endedWithoutSlot`.
  var withoutSlot = 0
  var endedWithoutSlot = 0

  /// The number of runs that rest and have not ended.
  var restingRuns = 0

  /// The actions that the last event asks for.
  @usableFromInline var actions: [Action] = []

  var steps: [Step] = []
  var nextStep = 0
  var isAdmitDue = false

  /// The time of the event that is handled.
  @usableFromInline var now: Instant = 0

  // MARK: Counting

  /// The number of actions with plans that were accepted.
  private var planned = 0

  var retries = 0

  /// A part that cannot be loaded: the compiler would load a value of plain words at each question, all 600 bytes.
  private let byAddress = Atomic(false)

  /// The number of shared runs, and of the actions that began one and have not ended.
  var sharedRuns = 0
  var firstMembers = 0

  init(_ limits: StoreConfiguration.Limits, membersAStep: Int = 64) {
    self.limits = limits
    self.membersAStep = membersAStep
    freeSlots = Int32(limits.runsInFlight)
  }

  /// Whether no action is named.
  @usableFromInline var isEmpty: Bool { entries.count == 0 }

  /// Whether an action has not been decided.
  func isUndecided(_ handle: Handle) -> Bool { entries[handle].phase.stage == .accepted }

  /// Whether every action rests that is named.
  @usableFromInline var isQuiet: Bool { entries.count == restingRuns }

  /// The instant at which an action is timed out; nil without a timeout.
  func timeout(of handle: Handle) -> Instant? {
    entries[handle].plan.flatMap { plans[$0].timeout }.map { timers.instant(of: $0) }
  }

  /// Whether an event needs the time.
  @usableFromInline var isTimed: Bool { plans.count > 0 || !keys.isEmpty }

  // MARK: Actions without a plan

  /// Names an action without a plan, which was taken up and asks for `handle`.
  @usableFromInline
  mutating func add() -> Handle {
    entries.insert(Entry())
  }

  /// Names such an action and gives it a slot, if there is one.
  @usableFromInline
  mutating func launchAtOnce() -> Handle? {
    guard hasFreeSlot else { return nil }
    let handle = entries.insert(Entry())
    freeSlots -= 1
    _ = entries[handle].phase.advance(.takeUp)
    _ = entries[handle].phase.advance(.launch)
    standing.append(handle, to: &runs)
    return handle
  }

  /// Ends and forgets an action whose one handler has returned, if that takes nothing else; returns whether it did.
  @usableFromInline
  mutating func finishAtOnce(_ handle: Handle) -> Bool {
    let entry = entries[handle]
    guard entry.plan == nil, entry.phase.stage == .running, ring.isEmpty, submitting == 0, lifecycle == .open
    else {
      return false
    }
    standing.remove(handle, from: &runs)
    freeSlots += 1
    forget(handle)
    return true
  }

  // MARK: Events

  /// Names an action with a plan that is accepted.
  @usableFromInline
  mutating func add(_ terms: PlanTerms) -> Handle {
    planned += 1
    let name = terms.name.map { namedPlans.index(of: $0) }
    let plan = plans.insert(PlannedAction(terms: terms, name: name, order: planned))
    return entries.insert(Entry(plan: plan))
  }

  /// Puts what the owner has to do into `actions`.
  @usableFromInline
  mutating func handle(_ event: Event, at now: Instant) {
    self.now = now
    switch event {
    case .arrived(let handle, let isRestored, let age): arrive(handle, isRestored: isRestored, age: age)
    case .decided(let handle, let verdict): decided(handle, verdict)
    case .returned(let handle, let attempt, let outcome, let hasCommitted, let advice, let counts):
      returned(handle, attempt, outcome, hasCommitted, advice, countsForBreaker: counts)
    case .gaveUp(let handle, let hasCommitted): failed(handle, .timedOut, hasCommitted)
    case .drawn(let handle, let duration): awaitNextAttempt(of: handle, in: duration)
    case .end(let handle, let outcome): end(handle, outcome)
    case .endKey(let key, let outcome): endAll(of: key, outcome)
    case .endAll(let outcome, let asksClosing): endAll(outcome, asksClosing: asksClosing)
    case .limit(let limit, let key): setLimit(limit, key: key)
    case .drain(let instant, let caller): drain(until: instant, caller)
    case .resting(let handle, let isResting): setResting(handle, isResting)
    case .close: close()
    }
  }

  /// Does the next step that is due, and tells the owner what it has to do; nil if there is none.
  @usableFromInline
  mutating func handleNextStep(at now: Instant) -> DueStep? {
    self.now = now
    while nextStep < steps.count {
      switch steps[nextStep] {
      case .takeUpWaiting(let key):
        if takeUpWaiting(key) { return .actions }
        nextStep += 1
        release(key)
      case .letPass(let key):
        nextStep += 1
        letPass(key)
        release(key)
        return .actions
      case .giveSlots:
        nextStep += 1
        giveSlots()
        return .actions
      case .endMembers(let run):
        nextStep += 1
        endNextMembers(of: run)
        return .actions
      case .admit:
        nextStep += 1
        isAdmitDue = false
        return .admission
      case .finishIfDrained:
        nextStep += 1
        return .drained
      }
    }
    steps.removeAll(keepingCapacity: steps.capacity <= 64)
    nextStep = 0
    return nil
  }

  /// Whether a timer is set.
  @usableFromInline var hasTimers: Bool { !timers.isEmpty }

  /// Whether work that needs a step of its own is due.
  @usableFromInline var hasSteps: Bool { nextStep < steps.count }

  // MARK: The way of an action

  private mutating func decided(_ handle: Handle, _ verdict: Verdict) {
    switch verdict {
    case .refused(let rejection):
      end(handle, .rejected(rejection))
    case .awaitsRecovery:
      _ = entries[handle].phase.advance(.takeUp)
      if let plan = entries[handle].plan { enterRoom(handle, plan, .recovery) }
    case .handles:
      _ = entries[handle].phase.advance(.takeUp)
      if let plan = entries[handle].plan, plans[plan].wait == .recovery { leaveQueue(handle, plan) }
      if canLaunch(handle) { launch(handle) } else { waitForLaunch(handle) }
    case .ends(let outcome):
      _ = entries[handle].phase.advance(.takeUp)
      end(handle, outcome)
    }
  }

  private mutating func returned(
    _ handle: Handle, _ attempt: Int?, _ outcome: Outcome, _ hasCommitted: Bool, _ advice: RetryAdvice,
    countsForBreaker: Bool
  ) {
    let consequences = entries[handle].phase.advance(.handlerReturned)
    if entries[handle].phase.stage == .ended {
      guard entries[handle].phase.handlersOut == 0 else { return }
      standing.remove(handle, from: &notReturned)
      free(handle, consequences)
      return
    }
    guard let attempt, let plan = entries[handle].plan else { return end(handle, outcome) }
    guard attempt == plans[plan].attempt, !plans[plan].isAttemptOver else { return }
    plans[plan].isAttemptOver = true
    guard case .failed = outcome else { return end(handle, outcome) }
    plans[plan].isErrorCounted = countsForBreaker
    failed(handle, outcome, hasCommitted, advice)
  }

  /// Ends an action, unless it has ended: takes it out of everything it stands in, and frees its slot, turn and permits.
  mutating func end(_ handle: Handle, _ outcome: Outcome, asksClosing: Bool = true) {
    let before = entries[handle].phase
    if before.stage == .ended { return }
    let consequences = entries[handle].phase.advance(.end)
    if before.isInFlight { standing.remove(handle, from: &runs) }
    let plan = entries[handle].plan
    if let plan { tidyUp(after: handle, plan, outcome, asksClosing: asksClosing) }
    if let plan, !plans[plan].hasSlot { endedWithoutSlot += 1 }
    if before.handlersOut > 0 { standing.append(handle, to: &notReturned) }
    let closes = asksClosing && consequences.contains(.askClosing) && !outcome.isFinished
    actions.append(.settle(handle, outcome, asksClosing: closes))
    if let plan, plans[plan].isShared { endMembers(of: handle, plan, outcome) }
    if before.handlersOut == 0 { free(handle, consequences) }
    if lifecycle == .draining { steps.append(.finishIfDrained) }
  }

  private mutating func tidyUp(after handle: Handle, _ plan: Int32, _ outcome: Outcome, asksClosing: Bool) {
    settleBreaker(plan, outcome)
    endRest(of: handle, plan)
    leaveQueue(handle, plan)
    timers.cancel(&plans[plan].timeout)
    timers.cancel(&plans[plan].attemptTimer)
    plans[plan].isAttemptOver = true
    if let key = plans[plan].key {
      liveActions.remove(handle, from: &keys[key].live)
      if !plans[plan].hasTurn { leaveOrder(plan, key) }
      forgetIfIdle(key)
    }
    leaveSharedRun(handle, plan, outcome, asksClosing: asksClosing)
  }

  /// Passes the slot, the permits and the key of an action that is over to the actions that wait for them, and releases the action.
  private mutating func free(_ handle: Handle, _ consequences: RunPhase.Consequences) {
    let plan = entries[handle].plan
    if let plan, !plans[plan].hasSlot {
      withoutSlot -= 1
      endedWithoutSlot -= 1
    } else if consequences.contains(.freeSlot) {
      freeSlots += 1
      if let plan { returnPermits(of: plan) }
      giveSlots()
    }
    if let plan {
      releaseTurn(of: plan)
      releaseLimits(of: plan)
      if plans[plan].endsMembers { return }  // The step that ends the last of them forgets it.
    }
    actions.append(.forget(handle))
  }

  /// Forgets an action; the owner, once it was told to.
  @usableFromInline
  mutating func forget(_ handle: Handle) {
    if let plan = entries[handle].plan { plans.remove(plan) }
    if !callers.isEmpty { callers.removeAll { $0 == handle } }
    entries.remove(handle)
    if entries.count == 0 {
      standing.shrink()
      queues.shrink()
      rings.shrink()
      liveActions.shrink()
    }
  }
}
