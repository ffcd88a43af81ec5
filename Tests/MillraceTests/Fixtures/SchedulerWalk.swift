import MillraceTesting

@testable import Millrace

/// An owner of a scheduler without tasks and without a store: it performs the actions, and checks them against the guarantees.
struct SchedulerWalk: ~Copyable {
  typealias Handle = Scheduler.Handle

  static let slots = 4
  static let room = 6
  static let keys = 6

  /// Few, so that many shared runs end in several steps.
  static let membersAStep = 2
  static let spacing = 15

  /// The number of runs that may rest without a slot.
  static let resting = 3

  var scheduler: Scheduler
  private var random: SeededGenerator
  private var now: Instant = 0
  private var known: [Known?] = []
  private var handlers: [Handler] = []
  private var pending: [Scheduler.Action] = []
  private(set) var arrived = 0
  private let plans = SchedulerWalk.plans

  /// The action whose error is not tried again, while its return is handled.
  private var refused: Handle?

  /// The action whose attempt has committed, while its failure is handled.
  private var committed: Handle?

  /// The number of handlers that run for each plan and key, and of actions that were taken up and have not ended.
  private var owners = Array(repeating: 0, count: SchedulerWalk.plans.count)

  /// The number of permits held, by the key of the limit; the handlers of one action hold one.
  private var permits: [PlanKey: Int] = [:]

  /// The instant at which the last turn of each plan began.
  private var lastTurn: [Int: Instant] = [:]

  private var lastOrder = Array(repeating: 0, count: SchedulerWalk.plans.count)

  /// The first rule that was broken.
  private(set) var broken: String?

  private(set) var settled: [Outcome.Kind: Int] = [:]

  init(seed: UInt64, onOverflow: StoreConfiguration.Overflow) {
    random = SeededGenerator(seed: seed)
    scheduler = Scheduler(
      StoreConfiguration.Limits(
        runsInFlight: SchedulerWalk.slots, actionsWaiting: SchedulerWalk.room, runsResting: SchedulerWalk.resting,
        onOverflow: onOverflow),
      membersAStep: SchedulerWalk.membersAStep)
  }

  // MARK: Steps

  /// Adds actions of random plans that are handled again, before all others.
  mutating func restore(_ count: Int) {
    for _ in 0..<count {
      let plan = randomPlan()
      arrived += 1
      let handle = scheduler.add(plans[plan])
      keep(handle, Known(plan: plan, order: arrived, isRestored: true))
      raise(.arrived(handle, isRestored: true))
    }
    if !settled.isEmpty { fail("T13: an action that is handled again ends before another event") }
  }

  /// Raises one event, and performs all that follows from it.
  mutating func step() {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<35: arrive()
    case 35..<45: toggleRest()
    case 45..<75: returnHandler()
    case 75..<84: if let handle = live() { raise(.end(handle, .cancelled)) }
    case 84..<95: advance(by: .random(in: 0..<20, using: &random))
    case 95..<98:
      endKey(of: randomPlan())
      performSteps()
    case 98: raiseLimit()
    default: raise(.endAll(.cancelled, asksClosing: true))
    }
    checkBounds()
  }

  /// Ends everything, lets all handlers return, and lets all time pass.
  mutating func finish() {
    raise(.endAll(.shutDown, asksClosing: true))
    while !handlers.isEmpty { returnHandler() }
    for key in plans.compactMap(\.key) + plans.flatMap(\.limits).map(\.key) { raise(.limit(nil, key)) }
    advance(by: 1_000_000)
    if known.contains(where: { $0 != nil }) { fail("R1: an action has no outcome") }
    if let remainder = scheduler.remainder { fail("R5: \(remainder) when nothing is left") }
    if scheduler.freeSlots != SchedulerWalk.slots { fail("A1: a slot was lost") }
    if scheduler.withoutSlot != 0 { fail("T12: a run rests when nothing is left") }
  }

  private mutating func arrive() {
    let plan = randomPlan()
    arrived += 1
    if Int.random(in: 0..<8, using: &random) == 0 { return handleWithoutPlan() }
    let handle = scheduler.add(plans[plan])
    keep(handle, Known(plan: plan, order: arrived))
    raise(.arrived(handle))
  }

  private mutating func handleWithoutPlan() {
    if scheduler.isFull { return }
    if let handle = scheduler.launchAtOnce() {
      keep(handle, Known(plan: -1, isTakenUp: true, handlersOut: 1))
      handlers.append(Handler(handle: handle, attempt: nil))
    } else {
      let handle = scheduler.add()
      keep(handle, Known(plan: -1, isTakenUp: true))
      raise(.decided(handle, .handles))
    }
  }

  private mutating func returnHandler() {
    guard let index = handlers.indices.randomElement(using: &random) else { return }
    let handler = handlers[index]
    handlers.swapAt(index, handlers.count - 1)
    handlers.removeLast()
    guard var action = known[Int(handler.handle)] else {
      return fail("R4: an action was forgotten while its handler is out")
    }
    action.handlersOut -= 1
    known[Int(handler.handle)] = action
    if action.isSettled, action.handlersOut == 0 { returnPermits(of: action) }
    let fails = Bool.random(using: &random)
    if handler.attempt == nil, !action.isSettled, !fails, scheduler.finishAtOnce(handler.handle) {
      settled[.finished, default: 0] += 1
      known[Int(handler.handle)] = nil
      return
    }
    let outcome: Outcome = fails ? .failed(Mishap()) : .finished
    let hasCommitted = Int.random(in: 0..<4, using: &random) == 0
    let advices: [RetryAdvice] = [.byPlan, .byPlan, .after(.nanoseconds(7)), .never]
    let advice = advices.randomElement(using: &random) ?? .byPlan
    if !advice.allowsRetry { refused = handler.handle }
    committed = hasCommitted ? handler.handle : nil
    let event = Scheduler.Event.returned(
      handler.handle, attempt: handler.attempt, outcome, hasCommitted: hasCommitted, advice,
      countsForBreaker: Int.random(in: 0..<4, using: &random) > 0)
    raise(event)
    (refused, committed) = (nil, nil)
  }

  /// Begins or ends the rest of a run.
  private mutating func toggleRest() {
    guard let handler = handlers.randomElement(using: &random), let action = known[Int(handler.handle)],
      !action.isSettled, !action.isAttemptOver, action.attempt == handler.attempt ?? 1, action.plan >= 0
    else { return }
    let (handle, before) = (handler.handle, scheduler.withoutSlot)
    let isPending = action.isResting || !action.hasSlot
    known[Int(handle)]?.isResting.toggle()
    scheduler.handle(.resting(handle, !action.isResting), at: now)
    if action.isResting {
      known[Int(handle)]?.wantsSlot = !action.hasSlot
    } else {
      known[Int(handle)]?.wantsSlot = false
      if isPending { if scheduler.hasSlot(handle) { fail("T12: a run that has no slot has one when it rests again") } }
      let gaveBack = action.hasSlot && !scheduler.hasSlot(handle)
      if gaveBack != (action.hasSlot && before < SchedulerWalk.resting) {
        fail("T12: a run that rests keeps its slot, or gives back more than may rest")
      }
      if gaveBack { giveBackSlot(of: handle) }
    }
    perform()
  }

  private mutating func giveBackSlot(of handle: Handle) {
    guard let action = known[Int(handle)] else { return }
    returnPermits(of: action)
    known[Int(handle)]?.hasSlot = false
  }

  /// Notes that an attempt is over, of which nothing rests any more.
  private mutating func endRest(of handle: Handle) {
    known[Int(handle)]?.isAttemptOver = true
    known[Int(handle)]?.isResting = false
    known[Int(handle)]?.wantsSlot = false
  }

  private mutating func takeSlotAgain(_ handle: Handle) {
    guard let action = known[Int(handle)], !action.hasSlot else { return }
    takePermits(plans[action.plan])
    known[Int(handle)]?.hasSlot = true
    known[Int(handle)]?.wantsSlot = false
  }

  private mutating func advance(by time: Instant) {
    now += time
    while let due = scheduler.handleNextTimer(at: now) {
      guard case .actions = due else { return fail("S1: a drain ended that never began") }
      perform()
    }
  }

  private mutating func raiseLimit() {
    let first = Int.random(in: 0..<SchedulerWalk.keys, using: &random) * SchedulerWalk.kinds
    // A serial key, or that of a tenant.
    guard let key = Bool.random(using: &random) ? plans[first].key : plans[first + 10].limits.first?.key else { return }
    raise(.limit(Bool.random(using: &random) ? nil : Int.random(in: 0...1, using: &random), key))
  }

  private mutating func raise(_ event: Scheduler.Event) {
    scheduler.handle(event, at: now)
    perform()
  }

  private mutating func perform() {
    performActions()
    performSteps()
  }

  /// Performs the steps that are due, and now and then an urgent one behind one of them.
  private mutating func performSteps() {
    while let due = scheduler.handleNextStep(at: now) {
      guard case .actions = due else { return fail("A1: a submit was to be admitted that nobody made") }
      let settledBefore = finished
      performActions()
      if finished - settledBefore > SchedulerWalk.membersAStep + 1 { fail("R3: too many actions finish in one step") }
      switch Int.random(in: 0..<16, using: &random) {
      case 0: endKey(of: randomPlan())
      case 1:
        guard let handle = live() else { break }
        scheduler.handle(.end(handle, .cancelled), at: now)
        performActions()
      default: break
      }
    }
  }

  private var finished: Int { settled[.finished, default: 0] }

  /// Ends all actions of a plan's key in one step.
  private mutating func endKey(of plan: Int) {
    guard let key = plans[plan].key else { return }
    scheduler.handle(.endKey(key, .cancelled), at: now)
    performActions()
    if known.contains(where: { $0?.plan == plan && $0?.isSettled == false }) {
      fail("R3: an action of a key that was cancelled has no outcome")
    }
  }

  private mutating func performActions() {
    takeActions()
    while broken == nil, let action = pending.popLast() {
      perform(action)
      takeActions()
    }
  }

  private mutating func takeActions() {
    while let action = scheduler.actions.popLast() { pending.append(action) }
  }

  // MARK: Actions

  private mutating func perform(_ action: Scheduler.Action) {
    switch action {
    case .decide(let handle): decide(handle)
    case .share(let handle, let run):
      guard let first = known[Int(handle)] else { return fail("R4: a run is shared by an action that is over") }
      if first.plan % SchedulerWalk.kinds == SchedulerWalk.mixedShared, !first.isRestored,
        joinableRun(for: first) != nil
      {
        fail("R4: an action begins a run though it may join one")
      }
      keep(run, Known(plan: first.plan, order: first.order, isRestored: first.isRestored, isShared: true))
    case .join(let handle, let run):
      guard let action = known[Int(handle)], known[Int(run)]?.isSettled == false else {
        return fail("R4: a run was joined that is over")
      }
      if action.plan % SchedulerWalk.kinds == SchedulerWalk.mixedShared, joinableRun(for: action) != run {
        fail("R4: a run was joined across a serial action")
      }
    case .start(let handle, let attempt): start(handle, attempt)
    case .resume(let handle):
      guard let action = known[Int(handle)], !action.isSettled, action.wantsSlot, !action.isResting else {
        return fail("T12: a run continues that rests, has its slot, or has ended")
      }
      takeSlotAgain(handle)
    case .giveUp(let handle):
      endRest(of: handle)
      let hasCommitted = Bool.random(using: &random)
      committed = hasCommitted ? handle : nil
      scheduler.handle(.gaveUp(handle, hasCommitted: hasCommitted), at: now)
    case .draw(let handle, let retry, let made, _):
      if known[Int(handle)]?.isSettled != false { fail("R3: an action that has ended is tried again") }
      if refused == handle { fail("L8: an attempt follows an error that is not tried again") }
      if committed == handle, !retry.afterCommits { fail("L8: an attempt follows one that has committed") }
      endRest(of: handle)
      if made >= retry.attempts { fail("L8: there are more attempts than the plan allows") }
      scheduler.handle(.drawn(handle, .nanoseconds(Int.random(in: 0..<10, using: &random))), at: now)
    case .settle(let handle, let outcome, let asksClosing): settle(handle, outcome, asksClosing)
    case .forget(let handle): forget(handle)
    }
  }

  /// The shared run that an action of a mixed key has to join: the newest one, unless a serial action came after it.
  private func joinableRun(for action: Known) -> Handle? {
    let serial = action.plan - SchedulerWalk.mixedShared + SchedulerWalk.mixedSerial
    let live = known.indices.filter { known[$0]?.isSettled == false }
    let lastSerial = live.compactMap { known[$0]?.plan == serial ? known[$0]?.order : nil }.max() ?? 0
    let runs = live.filter { known[$0]?.isShared == true && known[$0]?.plan == action.plan }
    let newest = runs.max { known[$0]?.order ?? 0 < known[$1]?.order ?? 0 }
    return newest.flatMap { known[$0]?.order ?? 0 > lastSerial ? Handle($0) : nil }
  }

  private mutating func decide(_ handle: Handle) {
    guard var action = known[Int(handle)], !action.isSettled, !action.isTakenUp else {
      return fail("R3: an action is decided twice, or after its end")
    }
    checkOverlap(action)
    let handles = action.isRestored || Int.random(in: 0..<10, using: &random) < 7
    if handles, let refusal = scheduler.refusal(of: handle) {
      return scheduler.handle(.decided(handle, .refused(refusal)), at: now)
    }
    action.isTakenUp = true
    known[Int(handle)] = action
    owners[action.plan] += 1
    let end: Outcome = Bool.random(using: &random) ? .finished : .rejected(.decided(Mishap()))
    scheduler.handle(.decided(handle, handles ? .handles : .ends(end)), at: now)
  }

  /// Whether an action may be taken up beside those that hold a permit of its key.
  private mutating func checkOverlap(_ action: Known) {
    let kind = action.plan % SchedulerWalk.kinds
    switch kind {
    case 0, 5, 7, 8, 11, 16, 19:
      if owners[action.plan] > 0 { fail("R4: two actions of a serial key are taken up") }
      if action.order < lastOrder[action.plan] { fail("L2: a serial key takes up a later action first") }
      lastOrder[action.plan] = action.order
    case SchedulerWalk.mixedSerial:
      if owners[action.plan] + owners[action.plan + 1] > 0 { fail("R4: a serial action is taken up beside another") }
    case SchedulerWalk.mixedShared:
      if owners[action.plan - 1] > 0 { fail("R4: a shared run is taken up beside a serial action") }
    case 1: if owners[action.plan] > 1 { fail("R4: three actions of a key that allows two are taken up") }
    default: break
    }
    if SchedulerWalk.spaced.contains(kind) {
      if !action.isRestored, let last = lastTurn[action.plan], now < last + Instant(SchedulerWalk.spacing) {
        fail("R4: two turns of a key begin closer to each other than its spacing")
      }
      lastTurn[action.plan] = now
    }
    if kind == 14 || kind == 15, live(of: action.plan) > 1 {
      fail("R4: an action is taken up beside more than its overlap allows")
    }
    // What it replaces, or excludes, has its outcome; handlers may still be out.
    if [2, 3, 4, 6, 9, 12, SchedulerWalk.mixedShared, 20, 21].contains(kind), owners[action.plan] > 0,
      known.contains(where: { other in
        other?.plan == action.plan && other?.isTakenUp == true && other?.isSettled == false
      })
    {
      fail("R4: an action is taken up beside one that it replaces, excludes or shares")
    }
  }

  /// The number of actions of a plan that were taken up and have not ended.
  private func live(of plan: Int) -> Int {
    known.count { $0?.plan == plan && $0?.isTakenUp == true && $0?.isSettled == false }
  }

  private mutating func start(_ handle: Handle, _ attempt: Int?) {
    guard let action = known[Int(handle)], !action.isSettled, action.isTakenUp else {
      return fail("R4: a handler begins for an action that was not taken up, or has ended")
    }
    if let attempt, attempt != action.attempt + 1 { fail("L8: attempts are not counted") }
    if !action.isRestored, isShut(for: handle) { fail("Breaker: a handler begins while it is open") }
    if action.plan >= 0, action.attempt == 0 { takePermits(plans[action.plan]) } else { takeSlotAgain(handle) }
    known[Int(handle)]?.isAttemptOver = false
    known[Int(handle)]?.handlersOut += 1
    known[Int(handle)]?.attempt = attempt ?? 1
    handlers.append(Handler(handle: handle, attempt: attempt))
  }

  /// Notes that an action holds no permits any more, if it held some: it has its outcome, and its handlers have returned.
  private mutating func returnPermits(of action: Known) {
    guard action.attempt > 0, action.plan >= 0, action.hasSlot else { return }
    for limit in plans[action.plan].limits { permits[limit.key, default: 0] -= 1 }
  }

  private mutating func takePermits(_ plan: PlanTerms) {
    for limit in plan.limits {
      permits[limit.key, default: 0] += 1
      if permits[limit.key, default: 0] > limit.maximum {
        fail("R4: more actions of a limit's key are handled than may")
      }
    }
  }

  /// Whether a breaker lets nothing pass, and this action is not its probe.
  private func isShut(for handle: Handle) -> Bool {
    guard let plan = scheduler.entries[handle].plan, let key = scheduler.plans[plan].breakerKey else { return false }
    return !scheduler.plans[plan].isProbe && !scheduler.keys[key].breaker.allowsRetry
  }

  private mutating func settle(_ handle: Handle, _ outcome: Outcome, _ asksClosing: Bool) {
    guard let action = known[Int(handle)], !action.isSettled else { return fail("R1: an action has two outcomes") }
    // A shared run may be left to actions that joined it, after the one that is handled again was cancelled.
    if action.isRestored, !action.isShared, case .rejected = outcome {
      fail("T13: an action that is handled again is rejected")
    }
    if asksClosing != (action.isTakenUp && outcome.kind != .finished) {
      fail(
        "R2: \(asksClosing ? "a closing" : "no closing") of an action that was \(action.isTakenUp ? "" : "not ")taken up"
      )
    }
    known[Int(handle)]?.isSettled = true
    if action.handlersOut == 0 { returnPermits(of: action) }
    if !action.isShared { settled[outcome.kind, default: 0] += 1 }
  }

  private mutating func forget(_ handle: Handle) {
    guard let action = known[Int(handle)], action.isSettled else {
      return fail("R1: an action is forgotten before its end")
    }
    if action.handlersOut > 0 { fail("R4: an action is forgotten while its handler is out") }
    if action.isTakenUp, action.plan >= 0 { owners[action.plan] -= 1 }
    known[Int(handle)] = nil
    scheduler.forget(handle)
  }

  // MARK: Choices

  mutating func fail(_ rule: String) {
    if broken == nil { broken = rule }
  }

  private mutating func keep(_ handle: Handle, _ action: Known) {
    while known.count <= Int(handle) { known.append(nil) }
    if known[Int(handle)] != nil { fail("R1: a handle names two actions") }
    known[Int(handle)] = action
    if committed == handle { committed = nil }
  }

  private mutating func live() -> Handle? {
    guard !known.isEmpty else { return nil }
    let start = Int.random(in: 0..<known.count, using: &random)
    for offset in 0..<min(known.count, 8) {
      let index = (start + offset) % known.count
      if known[index]?.isSettled == false, known[index]?.isShared == false { return Handle(index) }
    }
    return nil
  }

  private mutating func randomPlan() -> Int {
    let key = Int.random(in: 0..<SchedulerWalk.keys, using: &random)
    return key * SchedulerWalk.kinds + Int.random(in: 0..<SchedulerWalk.kinds, using: &random)
  }
}
