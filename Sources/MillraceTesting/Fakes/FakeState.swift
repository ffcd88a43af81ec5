public import Millrace

/// The scripts and calls of one fake and those who wait for calls, as a value without tasks and locks.
@usableFromInline
struct FakeState<Request: Sendable, Answer: FakeAnswering, Waiter: Sendable>: Sendable {
  @usableFromInline typealias Script = FakeScript<Request, Answer>

  /// The work for a call, to be done once the lock around this value was released.
  @usableFromInline
  struct Intake: Sendable {
    @usableFromInline let number: Int
    /// The script for it; nil if there is none.
    @usableFromInline let script: Script?
    /// The tasks that waited for this call, to be resumed first.
    @usableFromInline var woken: [Waiter] = []

    @inlinable
    init(number: Int, script: Script?) {
      self.number = number
      self.script = script
    }
  }

  /// A call that has not ended.
  @usableFromInline
  struct OpenCall: Sendable {
    @usableFromInline let number: Int
    @usableFromInline let request: Request
    @usableFromInline var answer: Answer?
    /// The source location of the script that ends it.
    @usableFromInline let location: TestLine
    /// Whether a fault lets it wait longer than for its answer.
    @usableFromInline let isHeldUp: Bool

    @inlinable
    init(number: Int, request: Request, answer: Answer?, location: TestLine, isHeldUp: Bool) {
      self.number = number
      self.request = request
      self.answer = answer
      self.location = location
      self.isHeldUp = isHeldUp
    }
  }

  /// The failures at the end of a test.
  struct Leftovers: Sendable {
    let scripts: [UnusedScript<Request, Answer>]
    var calls: [OpenCall]
    /// The number of calls so far.
    let callCount: Int
  }

  @usableFromInline var scripts = FakeScripts<Request, Answer>()
  @usableFromInline var log = FakeLog<Request>()
  @usableFromInline var open: [Int: OpenCall] = [:]
  private var watchers = CountWaiters<Waiter>()
  @usableFromInline private(set) var hasWatchers = false
  /// The tasks that wait until no call is open.
  private var quietWaiters = CountWaiters<Waiter>()
  @usableFromInline private(set) var hasQuietWaiters = false
  private var lastID = 0

  init() {}

  /// A number that no other waiting task has.
  mutating func makeID() -> Int {
    lastID += 1
    return lastID
  }

  /// A call comes; it is logged, and has ended if its script answers at once.
  @inlinable
  mutating func arrive(_ request: Request, at time: Duration) -> Intake {
    let script = scripts.take(request)
    let ending = script == nil ? .unexpected : script?.answer.ending
    var intake = Intake(number: log.add(request, at: time, ending), script: script)
    if let script, ending == nil { leaveOpen(intake.number, request, script.answer, script.location) }
    if hasWatchers { intake.woken = takeWatchers() }
    return intake
  }

  /// A call comes that meets faults: it takes time whatever its script is, and uses none when the connection is reset.
  mutating func arrive(_ request: Request, at time: Duration, with fault: FakeFaults.Fault?, at location: TestLine)
    -> Intake
  {
    let script = fault == .reset ? nil : scripts.take(request)
    let isUnexpected = script == nil && fault != .reset
    var intake = Intake(number: log.add(request, at: time, isUnexpected ? .unexpected : nil), script: script)
    log.update(intake.number) { $0.fault = fault }
    if !isUnexpected {
      let isHeldUp = fault == .timeout || fault == .outOfOrder
      leaveOpen(intake.number, request, script?.answer, script?.location ?? location, isHeldUp: isHeldUp)
    }
    if hasWatchers { intake.woken = takeWatchers() }
    return intake
  }

  /// A request is delivered a second time; nothing waits for it to end.
  mutating func arriveAgain(_ request: Request, at time: Duration) -> Intake {
    var intake = Intake(number: log.add(request, at: time, nil), script: nil)
    log.update(intake.number) { entry in
      entry.fault = .duplicate
      entry.isDuplicate = true
    }
    if hasWatchers { intake.woken = takeWatchers() }
    return intake
  }

  @inlinable
  mutating func leaveOpen(
    _ number: Int, _ request: Request, _ answer: Answer?, _ location: TestLine, isHeldUp: Bool = false
  ) {
    open[number] = OpenCall(number: number, request: request, answer: answer, location: location, isHeldUp: isHeldUp)
  }

  /// A call that takes time has ended; the first ending of a call counts.
  ///
  /// - Returns: those to resume who waited until no call is open.
  @inlinable
  mutating func end(_ number: Int, _ ending: FakeEnding, at time: Duration) -> [Waiter] {
    open[number] = nil
    if log.size != .none { log.update(number) { $0.end(ending, at: time) } }
    return hasQuietWaiters && open.isEmpty ? takeQuietWaiters() : []
  }

  @usableFromInline
  mutating func takeQuietWaiters() -> [Waiter] {
    hasQuietWaiters = false
    return quietWaiters.take(reachedBy: 0)
  }

  /// Registers a task that waits until no call is open.
  mutating func waitUntilQuiet(_ waiter: Waiter, id: Int, isCancelled: Bool) -> WakeAction<Waiter> {
    if isCancelled { return .cancel(waiter) }
    if open.isEmpty { return .wake([waiter]) }
    quietWaiters.add(waiter, id: id, count: 0)
    hasQuietWaiters = true
    return .none
  }

  /// A task that waits was cancelled; nothing is left to do when it was woken before, or registers later.
  mutating func cancelQuietWait(_ id: Int) -> WakeAction<Waiter> {
    quietWaiters.remove(id).map { .cancel($0) } ?? .none
  }

  /// Registers a task that waits for `count` calls.
  mutating func watch(_ waiter: Waiter, id: Int, count: Int, isCancelled: Bool) -> WakeAction<Waiter> {
    if isCancelled { return .cancel(waiter) }
    if count <= log.count { return .wake([waiter]) }
    watchers.add(waiter, id: id, count: count)
    hasWatchers = true
    return .none
  }

  /// A task that waits was cancelled; nothing is left to do when it was woken before, or registers later.
  mutating func cancelWatch(_ id: Int) -> WakeAction<Waiter> {
    watchers.remove(id).map { .cancel($0) } ?? .none
  }

  @usableFromInline
  mutating func takeWatchers() -> [Waiter] {
    defer { hasWatchers = !watchers.isEmpty }
    return watchers.take(reachedBy: log.count)
  }

  /// Ends all waits with the test, because no more calls will come.
  mutating func abandonWatchers() -> [Waiter] {
    hasWatchers = false
    return watchers.take(reachedBy: .max)
  }

  /// The test ends: what was not used and what has not ended is taken out, and told.
  mutating func finish() -> Leftovers {
    defer { open = [:] }
    return Leftovers(
      scripts: scripts.takeUnused(), calls: open.values.sorted { $0.number < $1.number }, callCount: log.count)
  }
}

/// All that the lock of a fake guards: what it is told and asked, the time it goes by, the faults that its calls meet.
@usableFromInline
struct FakeCore<Request: Sendable, Answer: FakeAnswering>: Sendable {
  @usableFromInline typealias State = FakeState<Request, Answer, Suspension<Void>>

  /// The work for a call, to be done once the lock was released.
  @usableFromInline
  struct Intake: Sendable {
    @usableFromInline let call: State.Intake
    /// The fault of the call, or nil.
    @usableFromInline let drawn: FakeFaults.Drawn?

    @inlinable
    init(call: State.Intake, drawn: FakeFaults.Drawn?) {
      self.call = call
      self.drawn = drawn
    }

    /// Whether there is nothing to do but to answer.
    @inlinable var isPlain: Bool { drawn == nil && call.woken.isEmpty }
  }

  @usableFromInline var state = State()
  @usableFromInline var time = FakeTime.sinceNow()
  @usableFromInline var faults: FakeFaults?

  init() {}

  /// The time of an entry of the log; not read where there is none.
  @inlinable var now: Duration { state.log.size == .none ? .zero : time.now }

  /// A call has ended, at the time of now; gives those to resume.
  @inlinable
  mutating func end(_ number: Int, _ ending: FakeEnding) -> [Suspension<Void>] {
    state.end(number, ending, at: now)
  }

  /// A call comes.
  @inlinable
  mutating func arrive(_ request: Request) -> Intake {
    if let faults { return arrive(request, faults) }
    return Intake(call: state.arrive(request, at: now), drawn: nil)
  }

  /// A call comes, and what it meets is drawn: in the order of the calls, for the lock is held.
  @usableFromInline
  mutating func arrive(_ request: Request, _ faults: FakeFaults) -> Intake {
    let drawn = faults.draw()
    let call = state.arrive(request, at: now, with: drawn.fault, at: faults.location)
    return Intake(call: call, drawn: drawn)
  }
}

extension Lock {
  /// Logs the end of a call.
  @inlinable
  func end<Request, Answer>(_ number: Int, _ ending: FakeEnding) where State == FakeCore<Request, Answer> {
    for waiter in withLock({ $0.end(number, ending) }) { waiter.resume(returning: ()) }
  }

  /// Waits until no call is open, or the task is cancelled.
  func waitUntilQuiet<Request, Answer>() async where State == FakeCore<Request, Answer> {
    let id = withLock { $0.state.makeID() }
    try? await suspend { (waiter: Suspension<Void>, isCancelled) in
      withLock { $0.state.waitUntilQuiet(waiter, id: id, isCancelled: isCancelled()) }.run()
    } onCancel: {
      withLock { $0.state.cancelQuietWait(id) }.run()
    }
  }
}
