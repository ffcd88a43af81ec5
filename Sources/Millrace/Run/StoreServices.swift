import Synchronization

/// The parts of a store with runs or interceptors that any thread may use.
@usableFromInline
final class StoreServices<I: Interactor>: Sendable {
  /// Distinguishes this store from every other one of the process.
  @usableFromInline let store: Int

  @usableFromInline let time: TimeSource

  /// The beginning of this store's idempotency keys.
  let keyPrefix: String

  /// The configuration's generator, behind the numbers that the prefix took.
  let random: any RandomNumberGenerator & Sendable

  /// The chain of interceptors, for senders.
  @usableFromInline let chain = Lock<InterceptorChain<I>?>(nil)

  /// The interceptions in progress.
  @usableFromInline let interceptions = Interceptions()

  private let madeTasks = LazyObject<StoreTasks>()

  init(_ configuration: StoreConfiguration) {
    store = configuration.witness?.numberStore() ?? StoreNumbers.next()
    time = TimeSource(ofStore: configuration.clock)
    var random = configuration.random
    keyPrefix = [random.next(), random.next()].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
    self.random = random
  }

  /// The tasks that end with the store, made on first use.
  var tasks: StoreTasks { madeTasks.load() ?? madeTasks.storeIfNil(StoreTasks()) }
}

/// Numbers the stores of the process, whatever their types.
private enum StoreNumbers {
  private static let last = Atomic(0)

  static func next() -> Int {
    last.add(1, ordering: .relaxed).newValue
  }
}

/// Tasks that end together: the feedbacks of a store and its thunks, or the submits of an effect.
final class StoreTasks: Sendable {
  private struct Members {
    var isOpen = true
    var count = 0
    var cancels: [Int: @Sendable () -> Void] = [:]
    var returned: Set<Int> = []
    /// The threads that begin one now, and are in its part before the first suspension.
    var beginning: Set<UInt> = []
  }

  private let members = Lock(Members())

  /// Whether the tasks may continue.
  var isOpen: Bool { members.withLock { $0.isOpen } }

  /// The number of tasks that have not returned.
  var count: Int { members.withLock { $0.cancels.count } }

  /// The number of the next one, for ``hasBegun(_:cancel:)`` and ``hasReturned(_:)``.
  func nextNumber() -> Int {
    members.withLock { members in
      members.count += 1
      return members.count
    }
  }

  /// Keeps a task, unless it has returned before; cancels it if the store has ended.
  func hasBegun(_ number: Int, cancel: @escaping @Sendable () -> Void) {
    let isOpen = members.withLock { members in
      if members.returned.remove(number) == nil { members.cancels[number] = cancel }
      return members.isOpen
    }
    if !isOpen { cancel() }
  }

  /// Returns the result of `start`, which is told whether this thread begins another task already: begun within that, it would nest.
  func begin<Result>(_ start: (_ isNested: Bool) -> Result) -> Result {
    let thread = currentThread()
    let isNested = members.withLock { !$0.beginning.insert(thread).inserted }
    defer { if !isNested { members.withLock { _ = $0.beginning.remove(thread) } } }
    return start(isNested)
  }

  /// Forgets a task; it may come before its beginning was noted.
  func hasReturned(_ number: Int) {
    members.withLock { members in
      if members.cancels.removeValue(forKey: number) == nil { members.returned.insert(number) }
    }
  }

  /// Cancels all in the order of their numbers, and whatever comes later.
  func end() {
    let cancels = members.withLock { members in
      members.isOpen = false
      return members.cancels.sorted { $0.key < $1.key }
    }
    for (_, cancel) in cancels { cancel() }
  }
}
