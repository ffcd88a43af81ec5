/// What one iterator of a value sequence does at the store; it does not hold the store, and leaves it when it is dropped.
final class ValueObservation<I: Interactor, Value: Equatable & Sendable>: @unchecked Sendable {
  private weak var committer: Committer<I>?
  private let observer = ValueObserver<Value>()
  private let found = Lock<Finding?>(nil)
  private let join: (ObserverRegistry<I>) -> ObservedValue<I.State, Value>
  private let forget: @Sendable (ObserverRegistry<I>) -> Void

  /// What is observed, once this has joined.
  private let joined = Lock<ObservedValue<I.State, Value>?>(nil)

  /// - Parameters:
  ///   - join: finds what is observed.
  ///   - forget: called when nobody observes it any more.
  init(
    _ committer: Committer<I>?,
    join: @escaping (ObserverRegistry<I>) -> ObservedValue<I.State, Value>,
    forget: @escaping @Sendable (ObserverRegistry<I>) -> Void
  ) {
    self.committer = committer
    self.join = join
    self.forget = forget
  }

  deinit {
    guard let committer, let observed = joined.withLock({ $0 }) else { return }
    committer.perform { [forget, observer] in
      observed.remove(observer)  // It waits there still if it was cancelled before it joined.
      observed.observers -= 1
      committer.registry?.valueObservers -= 1
      if observed.observers == 0, let registry = committer.registry { forget(registry) }
    }
  }

  /// The next value that differs from the last one delivered; nil when there will be none.
  func next() async -> Value? {
    guard let committer else { return nil }
    while !Task.isCancelled {
      switch look() {
      case .value(let value): return value
      case .ended: return nil
      case .waiting: await wait {}
      case .unknown: await wait { committer.perform { self.look(at: committer) } }
      }
    }
    return nil
  }

  /// What an observer finds.
  private enum Finding {
    case value(Value)
    case waiting
    case ended
    /// It takes the turn to know.
    case unknown
  }

  /// What the last look with the turn found, or what the part offers without.
  private func look() -> Finding {
    if let found = found.withLock({ found in
      defer { found = nil }
      return found
    }) {
      return found
    }
    guard let observed = joined.withLock({ $0 }) else { return .unknown }
    switch observed.offer(to: observer) {
    case .value(let value): return .value(value)
    case .waiting: return .waiting
    case .inactive: return .unknown
    }
  }

  /// Looks with the store's turn: the part is active from then on, if somebody waits for it.
  private func look(at committer: Committer<I>) {
    let registry = committer.ownRegistry
    let observed = joined(to: registry)
    var told: [Waiter] = []
    let offer = observed.offer(committer.state, to: observer, isLast: !committer.isOpen, telling: &told)
    if !told.isEmpty { committer.afterLeaving { [told] in told.forEach { $0.signal() } } }
    if case .value(let value) = offer {
      find(.value(value))
    } else if !committer.isOpen {
      observed.remove(observer)
      find(.ended)
    }
    if committer.isOpen { registry.await(observed) }
  }

  private func find(_ finding: Finding) {
    found.withLock { $0 = finding }
    observer.waiter.signal()
  }

  /// Suspends until signalled, or cancelled.
  private func wait(_ arrange: () -> Void) async {
    await withTaskCancellationHandler {
      await observer.waiter.wait(arrange)
    } onCancel: {
      joined.withLock { $0 }?.remove(observer)
      observer.waiter.signal()
    }
  }

  private func joined(to registry: ObserverRegistry<I>) -> ObservedValue<I.State, Value> {
    if let joined = joined.withLock({ $0 }) { return joined }
    let observed = join(registry)
    observed.observers += 1
    registry.valueObservers += 1
    joined.withLock { $0 = observed }
    return observed
  }
}
