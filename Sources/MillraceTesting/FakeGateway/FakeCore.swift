public import Millrace

/// All that the lock of a fake guards: what it is told and asked, the time it goes by, the faults that its calls meet.
@usableFromInline
struct FakeCore<Request: Sendable, Answer: FakeAnswering>: Sendable {
  @usableFromInline typealias State = FakeState<Request, Answer, Suspension<Void>>

  /// The work for a call, to be done once the lock was released.
  @usableFromInline
  struct Intake: Sendable {
    @usableFromInline let call: State.Intake
    /// The fault of the call, or nil.
    @usableFromInline let meeting: FakeFaults.Meeting?

    @inlinable
    init(call: State.Intake, meeting: FakeFaults.Meeting?) {
      self.call = call
      self.meeting = meeting
    }

    /// Whether there is nothing to do but to answer.
    @inlinable var isPlain: Bool { meeting == nil && call.woken.isEmpty }
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
    return Intake(call: state.arrive(request, at: now), meeting: nil)
  }

  /// A call comes, and what it meets is drawn: in the order of the calls, for the lock is held.
  @usableFromInline
  mutating func arrive(_ request: Request, _ faults: FakeFaults) -> Intake {
    let meeting = faults.draw()
    let call = state.arrive(request, at: now, meeting: meeting.fault, at: faults.place)
    return Intake(call: call, meeting: meeting)
  }
}

extension Lock {
  /// Tells the log how a call has ended.
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
