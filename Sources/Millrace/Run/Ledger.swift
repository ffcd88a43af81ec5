import Synchronization

/// What a store keeps of its actions beyond those that are decided at once; made when it is first needed.
///
/// All of it is the lock holder's, but for the time and the chain that senders see.
@usableFromInline
final class Ledger<I: Interactor> {
  /// Who runs when.
  @exclusivity(unchecked) @usableFromInline var scheduler: Scheduler

  /// The actions that the scheduler names, by their handles.
  @exclusivity(unchecked) @usableFromInline var records: ContiguousArray<ActiveRun<I>?> = []

  /// What the scheduler has asked for and is not done, the next one last.
  @exclusivity(unchecked) var pending: [Scheduler.Action] = []

  /// Whether that is being done, and whether the scheduler's next steps are.
  var isPerforming = false
  var isStepping = false

  /// Tells this store from every other one of the process.
  @usableFromInline let store: Int

  @usableFromInline let time: TimeSource
  var random: any RandomNumberGenerator & Sendable

  /// What the idempotency keys of this store begin with.
  let keyPrefix: String

  /// What must hold of the state for runs to go on, in the order in which they were bound.
  var bonds = LinkedList<Bond<I>>()

  /// Runs whose bond the last commits have broken, to be ended after the step.
  var orphans: [ActiveRun<I>] = []

  /// Suspended submits, first come first.
  var submitters = LinkedList<Submitter<I>>()

  /// The task that sleeps until the next timer.
  var wakeUp: WakeUp?

  // MARK: The end

  /// The cuts in progress, each begun inside those before it.
  var cuts: [Cut] = []

  /// A shutdown that goes on, or has been.
  var closing: Closing?

  /// The tasks that end with the store.
  var tasks: StoreTasks?

  /// Those who wait for the end of the store, whoever brings it.
  var residents: [Promise<ShutdownReport>] = []

  // MARK: Interceptors

  /// The chain, for the holder, and for senders.
  @usableFromInline var chain: InterceptorChain<I>?
  @usableFromInline let sharedChain = Lock<InterceptorChain<I>?>(nil)

  /// The interceptions in progress, made with the first chain.
  @usableFromInline private(set) lazy var interceptions = Interceptions()

  // MARK: Counting

  @usableFromInline var tally = Tally()
  @usableFromInline var handleTime = Histogram()
  @usableFromInline var waitTime = Histogram()

  /// Problems of plans that were reported.
  var reportedProblems: Set<PlanProblem> = []

  /// The places of children that were missing and reported.
  var reportedPlaces: Set<ObjectIdentifier> = []

  init(_ configuration: StoreConfiguration) {
    scheduler = Scheduler(configuration.limits)
    store = configuration.witness?.numberStore() ?? StoreNumbers.next()
    time = TimeSource(configuration.clock)
    random = configuration.random
    keyPrefix = Ledger.prefix(from: &random)
  }

  private static func prefix(from random: inout any RandomNumberGenerator & Sendable) -> String {
    let words = [random.next(), random.next()]
    return words.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Keeps the action that the scheduler names by this handle.
  @inlinable
  func keep(_ run: ActiveRun<I>, _ handle: Scheduler.Handle) {
    while records.count <= Int(handle) { records.append(nil) }
    records[Int(handle)] = run
    run.handle = handle
  }

  /// Lets the action go that the scheduler has named; with the last one the memory is given back, if it was much.
  @inlinable
  func release(_ handle: Scheduler.Handle) {
    records[Int(handle)]?.handle = nil
    records[Int(handle)] = nil
    if records.count > 1_024, scheduler.isEmpty { records = [] }
  }

  /// The actions that have ended while their handlers were out, in the order in which they did.
  var notReturned: [ActionID] {
    scheduler.standing.handles(of: scheduler.notReturned).compactMap { records[Int($0)]?.id }
  }

  /// Gives back the memory of what an event for many actions has asked for; nothing is left to be done.
  func dropLongLists() {
    if pending.capacity > 1_024 { pending = [] }
    if scheduler.actions.capacity > 1_024 { scheduler.actions = [] }
  }

  /// The time, if the scheduler needs it.
  var now: Instant { scheduler.isTimed ? time.now() : 0 }
}

/// Numbers the stores of the process, whatever their types.
private enum StoreNumbers {
  private static let last = Atomic(0)

  static func next() -> Int {
    last.add(1, ordering: .relaxed).newValue
  }
}

/// A cut through what was accepted: what is still queued for the holder ends with this outcome, untouched.
struct Cut {
  let outcome: Outcome

  /// The key of those that are cut, or nil for all.
  let key: PlanKey?
}

/// The task that sleeps until the next timer.
struct WakeUp {
  let instant: Instant
  let task: Task<Void, Never>
}

/// How actions ended that did not finish, and what else is counted.
@usableFromInline
struct Tally {
  var outcomes: [Outcome.Kind: Int] = [:]
  var rejections: [Rejection.Kind: Int] = [:]

  /// Rejected as full and untouched: what an overload is made of.
  @usableFromInline var refused = 0
  var lateEmits = 0

  mutating func count(_ outcome: Outcome) {
    if case .rejected(let rejection) = outcome {
      rejections[rejection.kind, default: 0] += 1
    } else {
      outcomes[outcome.kind, default: 0] += 1
    }
  }
}
