import Millrace

/// The state of a reconciler, as a value without tasks, time and locks.
///
/// Each event is one function. Those that come from beside the loop of the run answer whether the loop is to look again;
/// the loop asks for its next ``Step``, and tells what became of it.
struct ReconcilerState<Desired: Reconcilable> {
  typealias Operation = Desired.Operation
  typealias Report = Reconciler<Desired>.Report

  /// One attempt at an operation, counted from 1.
  struct Attempt: Equatable {
    var operation: Operation
    var number: Int
  }

  /// The next step of the loop.
  enum Step: Equatable {
    /// Perform the operation, and tell what became of it.
    case perform(Attempt)
    /// Rest, and tell when the rest is over; unless this value stops resting before.
    case rest(Duration)
    /// Wait until an event answers that there is something to look at.
    case wait
    /// Return.
    case end
  }

  private enum Stage {
    /// No run follows desires. Becomes `ready`.
    case idle
    /// Nothing is under way. Becomes `performing` or `ending`.
    case ready
    /// An attempt is under way; it is late once its time is up, outdated once another desire came. Becomes `ready`, `failed`
    /// or `ending`.
    case performing(Attempt, isLate: Bool, isOutdated: Bool)
    /// The attempt failed, and there is another one after a rest. Becomes `resting`, or as `ready`.
    case failed(Attempt)
    /// The loop rests after this attempt. Becomes `rested`, or `ready` as soon as another operation comes next.
    case resting(Attempt)
    /// The rest after this attempt is over. Becomes as `ready`.
    case rested(Attempt)
    /// The loop returns, and begins nothing more. Becomes `idle`.
    case ending
  }

  /// The present value: the initial value, and every operation that was acknowledged.
  private(set) var acknowledged: Desired

  private let attempts: Int
  private let backoff: Plan.Backoff
  private var stage = Stage.idle
  private var newest: Desired?
  private var isLastDesire = false
  private var hasGivenUp = false
  /// The operations that are left on the way to the newest desire; nil before they are asked for.
  private var remaining: ArraySlice<Operation>?

  init(initial: Desired, attempts: Int, backoff: Plan.Backoff) {
    acknowledged = initial
    self.attempts = attempts
    self.backoff = backoff
  }

  /// Whether the loop continues its delay.
  var isResting: Bool {
    if case .resting = stage { true } else { false }
  }

  /// A run begins; false if there is one.
  mutating func begin() -> Bool {
    guard case .idle = stage else { return false }
    stage = .ready
    return true
  }

  /// The run has returned; what it was told of desires is forgotten.
  mutating func end() {
    self = ReconcilerState(initial: acknowledged, attempts: attempts, backoff: backoff)
  }
}

// What comes from beside the loop: true is that the loop is to look again.
extension ReconcilerState {
  /// A desire came; one that is equal to the newest changes nothing.
  mutating func desired(_ desire: Desired) -> Bool {
    guard newest != desire else { return false }
    newest = desire
    remaining = nil
    hasGivenUp = false
    switch stage {
    case .performing(let attempt, let isLate, _):
      stage = .performing(attempt, isLate: isLate, isOutdated: true)
      return false
    case .resting(let attempt):
      guard nextOperation() != attempt.operation else { return false }
      stage = .ready
      return true
    case .idle, .ready, .failed, .rested, .ending:
      return true
    }
  }

  /// There will be no other desire.
  mutating func desiresEnded() -> Bool {
    isLastDesire = true
    return true
  }

  /// The rest took as long as it should.
  mutating func restOver() -> Bool {
    guard case .resting(let attempt) = stage else { return false }
    stage = .rested(attempt)
    return true
  }
}

// The loop.
extension ReconcilerState {
  /// The next step of the loop, by the newest desire; an attempt in the answer is under way from here.
  mutating func step() -> Step {
    switch stage {
    case .ready:
      return perform(after: nil)
    case .failed(let attempt):
      let rest = backoff.delay(after: attempt.number)
      guard rest > .zero, nextOperation() == attempt.operation else { return perform(after: attempt) }
      stage = .resting(attempt)
      return .rest(rest)
    case .rested(let attempt):
      return perform(after: attempt)
    case .idle, .performing, .resting:
      return .wait
    case .ending:
      return .end
    }
  }

  /// The attempt that is under way returned: its operation is so, however late.
  mutating func performed() -> Report? {
    guard case .performing(let attempt, _, _) = stage else { return nil }
    acknowledged.apply(attempt.operation)
    // By the law the rest leads to the desire from here; a desire that came meanwhile has taken it away.
    remaining?.removeFirst()
    stage = .ready
    return .performed(attempt.operation, attempt: attempt.number)
  }

  /// The time of the attempt that is under way is up: it failed, and yet it is under way until it returns.
  mutating func timedOut() -> Report? {
    guard case .performing(let attempt, false, let isOutdated) = stage else { return nil }
    stage = .performing(attempt, isLate: true, isOutdated: isOutdated)
    return .failed(attempt.operation, attempt: attempt.number, error: ReconcilerError(.timedOut))
  }

  /// The attempt that is under way threw.
  mutating func failed(_ error: any Error) -> [Report] {
    guard case .performing(let attempt, let isLate, let isOutdated) = stage else { return [] }
    var reports: [Report] = []
    if !isLate { reports.append(.failed(attempt.operation, attempt: attempt.number, error: error)) }
    if attempt.number < attempts {
      stage = .failed(attempt)
    } else {
      stage = .ready
      // A desire that came meanwhile has not been tried at all: it starts over.
      if !isOutdated {
        hasGivenUp = true
        let error = isLate ? ReconcilerError(.timedOut) : error
        reports.append(.gaveUp(attempt.operation, attempts: attempt.number, error: error))
      }
    }
    return reports
  }

  /// The run was cancelled; an attempt that is under way has thrown.
  mutating func cancelled() -> Report? {
    defer { stage = .ending }
    guard case .performing(let attempt, _, _) = stage else { return nil }
    return .cancelled(attempt.operation)
  }

  /// The next operation by the newest desire: another attempt at the one that failed, or the first at another one.
  private mutating func perform(after failed: Attempt?) -> Step {
    guard let operation = nextOperation() else {
      stage = isLastDesire ? .ending : .ready
      return isLastDesire ? .end : .wait
    }
    let isAnotherAttempt = failed?.operation == operation
    let attempt = Attempt(operation: operation, number: isAnotherAttempt ? (failed?.number ?? 0) + 1 : 1)
    stage = .performing(attempt, isLate: false, isOutdated: false)
    return .perform(attempt)
  }

  /// The next operation on the way to the newest desire; nil when it is reached or given up, and before there is one.
  private mutating func nextOperation() -> Operation? {
    guard let newest, !hasGivenUp else { return nil }
    if let remaining { return remaining.first }
    let operations = acknowledged.operations(toward: newest)[...]
    remaining = operations
    return operations.first
  }
}
