import Synchronization

/// The parts of a store with runs or interceptors that any thread may use.
@usableFromInline
final class StoreServices<I: Interactor>: Sendable {
  /// Tells this store from every other one of the process.
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

  private let madeTasks = AtomicLazyReference<StoreTasks>()

  init(_ configuration: StoreConfiguration) {
    store = configuration.witness?.numberStore() ?? StoreNumbers.next()
    time = TimeSource(configuration.clock)
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
