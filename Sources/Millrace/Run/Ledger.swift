import Synchronization

/// What a store keeps of its actions beyond those that are decided at once; made when it is first needed.
///
/// All of it is the owner's, but for the time and the chain that senders see.
@usableFromInline
final class Ledger<I: Interactor> {
  /// Tells this store from every other one of the process.
  @usableFromInline let store: Int

  @usableFromInline let time: TimeSource
  @usableFromInline let limits: StoreLimits
  let swappedOrders: SwappedOrders
  var random: any RandomNumberGenerator & Sendable

  /// What the idempotency keys of this store begin with.
  let keyPrefix: String

  /// The runs that have a slot and have not ended, in the order in which they got it.
  @usableFromInline var runs = LinkedList<ActiveRun<I>>()

  /// What must hold of the state for runs to go on, in the order in which they were bound.
  var bonds = LinkedList<Bond<I>>()

  /// Runs whose bond the last commits have broken, to be ended after the step.
  var orphans: [ActiveRun<I>] = []

  // MARK: Waiting

  /// All that wait, in the order in which they began to, and how many they are.
  @usableFromInline var room = LinkedList<Course<I>>()
  @usableFromInline var waiting = 0

  /// Those of them that wait for a slot.
  var slotQueue = LinkedList<ActiveRun<I>>()

  /// Suspended submits, first come first.
  var submitters = LinkedList<Submitter<I>>()
  var submitting = 0

  /// How many shared runs have not ended, and how many of the actions that began one.
  var flights = 0
  var firstMembers = 0

  /// Counts planned actions.
  var planned = 0

  var keys: [PlanKey: KeyRecord<I>] = [:]

  // MARK: Time

  var timers = TimerQueue()
  var wakeUp: WakeUp?

  // MARK: The end

  var admittance = Admittance.open

  /// The cuts in progress, each begun inside those before it.
  var cuts: [Cut] = []

  /// Runs that have ended while their handlers were out.
  var notReturned = LinkedList<ActiveRun<I>>()
  var notReturnedCount = 0

  /// A shutdown that goes on, or has been.
  var closing: Closing?

  /// The tasks that end with the store.
  var tasks: StoreTasks?

  /// Those who wait for the end of the store, whoever brings it.
  var residents: [Promise<ShutdownReport>] = []

  // MARK: Interceptors

  /// The chain, for the owner, and for senders.
  @usableFromInline var chain: InterceptorChain<I>?
  @usableFromInline let sharedChain = Lock<InterceptorChain<I>?>(nil)

  /// The interceptions in progress, made with the first chain.
  @usableFromInline private(set) lazy var interceptions = Interceptions<I>()

  // MARK: Counting

  @usableFromInline var tally = Tally()
  @usableFromInline var handleTime = Histogram()
  @usableFromInline var waitTime = Histogram()

  /// Problems of plans that were reported.
  var reportedProblems: Set<PlanProblem> = []

  /// The places of children that were missing and reported.
  var reportedPlaces: Set<ObjectIdentifier> = []

  /// Whether one more action may wait, be it that another one has to go for it.
  @inlinable final var mayWait: Bool {
    waiting < limits.actionsWaiting || limits.onOverflow != .reject && !room.isEmpty
  }

  init(_ configuration: StoreConfiguration) {
    store = configuration.witness?.numberStore() ?? StoreNumbers.next()
    time = TimeSource(configuration.clock)
    limits = configuration.limits
    swappedOrders = configuration.swappedOrders
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
}

/// Numbers the stores of the process, whatever their types.
private enum StoreNumbers {
  private static let last = Atomic(0)

  static func next() -> Int {
    last.add(1, ordering: .relaxed).newValue
  }
}

/// Which actions are accepted.
enum Admittance {
  /// All.
  case open
  /// The store drains: those that runs in flight send.
  case draining
  /// None.
  case shut
}

/// A cut through what was accepted: what is still left for the owner ends with this outcome, untouched.
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
  var retries = 0
  var lateEmits = 0

  mutating func count(_ outcome: Outcome) {
    if case .rejected(let rejection) = outcome {
      rejections[rejection.kind, default: 0] += 1
    } else {
      outcomes[outcome.kind, default: 0] += 1
    }
  }
}
