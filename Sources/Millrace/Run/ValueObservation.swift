/// The registration of one iterator of a value sequence; it does not hold the store, and ends when the iterator is dropped.
@usableFromInline
final class ValueObservation<I: Interactor, Value: Equatable & Sendable>: @unchecked Sendable {
  private weak var core: StoreCore<I>?
  private let observer = ValueObserver<Value>()
  private let found = Lock<Finding?>(nil)
  private let join: (ObserverRegistry<I>) -> ObservedValue<I.State, Value>
  private let forget: @Sendable (ObserverRegistry<I>) -> Void

  /// The observed part, once the iterator is registered.
  private let joined = Lock<ObservedValue<I.State, Value>?>(nil)

  /// - Parameters:
  ///   - join: finds what is observed.
  ///   - forget: Called when the part has no observer any more.
  init(
    _ core: StoreCore<I>?,
    join: @escaping (ObserverRegistry<I>) -> ObservedValue<I.State, Value>,
    forget: @escaping @Sendable (ObserverRegistry<I>) -> Void
  ) {
    self.core = core
    self.join = join
    self.forget = forget
  }

  deinit {
    guard let core, let observed = joined.withLock({ $0 }) else { return }
    core.lock.perform(for: core) { [forget, observer] in
      observed.remove(observer)  // It waits there still if it was cancelled before it joined.
      observed.observers -= 1
      core.owned.registry?.valueObservers -= 1
      if observed.observers == 0, let registry = core.owned.registry { forget(registry) }
    }
  }

  /// The next value that differs from the last one delivered; nil when there will be none.
  func next() async -> Value? {
    guard let core else { return nil }
    while !Task.isCancelled {
      switch look() {
      case .value(let value): return value
      case .ended: return nil
      case .waiting: await wait {}
      case .unknown: await wait { core.lock.perform(for: core) { self.look(in: &core.owned, at: core) } }
      }
    }
    return nil
  }

  /// The result of a look for a newer value.
  private enum Finding {
    case value(Value)
    case waiting
    case ended
    /// Only a look with the lock can tell.
    case unknown
  }

  /// The result of the last look with the lock, or of the part without it.
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

  /// Looks with the store's lock: the part is active from then on, if a task waits for it.
  private func look(in owned: inout Owned<I>, at core: StoreCore<I>) {
    let registry = owned.madeRegistry(at: core)
    let observed = joined(to: registry)
    var told: [Waiter] = []
    let offer = observed.offer(owned.state, to: observer, isLast: !owned.isOpen, telling: &told)
    if !told.isEmpty { core.lock.afterUnlock { [told] in told.forEach { $0.signal() } } }
    if case .value(let value) = offer {
      find(.value(value))
    } else if !owned.isOpen {
      observed.remove(observer)
      find(.ended)
    }
    if owned.isOpen { registry.await(observed) }
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

extension ValueObservation {
  /// The values, which end with the error of the store's journal if that has failed.
  func elements(at gate: DurabilityGate?) -> NextElement<Value> {
    let next: NextElement<Value> = { () async throws(StoreError) -> Value? in await self.next() }
    guard let gate else { return next }
    return JournaledElements(next, at: gate, heldBackUntil: nil).next
  }

  /// Creates observers of the values at a key path; all observers of one key path share its evaluation.
  @usableFromInline
  static func observers(
    of keyPath: any KeyPath<I.State, Value> & Sendable, at core: StoreCore<I>
  ) -> @Sendable () -> NextElement<Value> {
    { [weak core, gate = core.gate] in
      let observation = ValueObservation(core) { registry in
        registry.part(at: keyPath) { ObservedValue { $0[keyPath: keyPath] } }
      } forget: { registry in
        registry.forget(keyPath)
      }
      return observation.elements(at: gate)
    }
  }

  /// Creates observers of the values that a closure takes from the state, which share its evaluation.
  @usableFromInline
  static func observers(
    of get: @escaping @Sendable (I.State) -> Value, at core: StoreCore<I>
  ) -> @Sendable () -> NextElement<Value> {
    let shared = ObservedValue(get: get)
    return { [weak core, gate = core.gate] in
      let observation = ValueObservation(core) { _ in
        shared
      } forget: { _ in
      }
      return observation.elements(at: gate)
    }
  }
}
