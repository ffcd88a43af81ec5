import Millrace

/// The part of a `Stores` that its tasks and its observers know.
final class StoresCore<Key: LosslessStringConvertible & Hashable & Sendable, I: Interactor>: Sendable {
  typealias Member = KeyedStore<I>
  typealias Registry = KeyRegistry<I>

  let name: String
  let parts: KeyParts<Key, I>
  let source: any KeySource<I>
  let registry: Lock<Registry>
  /// Opens keys whose wake times come; nil without a journal.
  let waker: Waker?
  private let time: TimeSource
  private let sweeper = Lock<Task<Void, Never>?>(nil)
  let end = Lock(StoresEnd())

  init(
    _ name: String, _ parts: KeyParts<Key, I>, _ source: any KeySource<I>, _ limits: StoresLimits, _ waker: Waker?
  ) {
    self.waker = waker
    self.name = name
    self.parts = parts
    self.source = source
    registry = Lock(Registry(limits))
    time = TimeSource(parts.configuration.clock)
  }

  // MARK: Uses

  /// The store of a key, whose use has begun, and whether it is open; otherwise the reason for which there is none.
  func use(_ key: JournalKey, isWake: Bool = false) -> Result<(member: Member, isOpen: Bool), RejectedUse> {
    let name = UTF8Text(key.name)
    var (found, isOpen) = registry.withLock { registry in
      let found = registry.use(name)
      return (found, found.isOpen)
    }
    if case .none = found {
      let partition = source.partitions?.number(of: key) ?? 0
      // No closure of the user is called for a key of another process.
      if let reason = source.partitions?.refusal(of: partition) { return .failure(RejectedUse(reason: reason)) }
      switch parts.store(of: key, in: partition, source) {
      case .failure(let refusal): return .failure(refusal)
      case .success(let made):
        let (works, isFull): ([Registry.Work], Bool)
        (found, isOpen, works, isFull) = registry.withLock { registry in
          // Once more with the lock, because the keys of a partition that is given up are removed with it after this refuses them.
          if let reason = source.partitions?.refusal(of: partition) { return (.rejected(reason), false, [], false) }
          let (found, works) = registry.add(made, isWake: isWake)
          return (found, found.isOpen, works, registry.isFull)
        }
        perform(works)
        // Runs that wait for their turns keep their keys in memory, so that others would not be opened before.
        if isFull { source.recoveryLine?.open() }
      }
    }
    switch found {
    case .member(let member): return .success((member, isOpen))
    case .rejected(let reason): return .failure(RejectedUse(reason: reason, isFinal: true))
    case .none: preconditionFailure("A key that was added is found.")
    }
  }

  func didUse(_ member: Member) {
    let now = time.now()
    perform(registry.withLock { $0.didUse(member, at: now) })
  }

  /// Sends an action to the store of a key, or keeps it until that is open.
  func send(
    _ action: I.Action, to key: JournalKey, context: TraceContext?, in tree: RunTree?, key sendersKey: String?,
    confirming: Bool
  ) -> Receipt {
    let (member, isOpen): (Member, Bool)
    switch use(key) {
    case .failure(let refusal): return .refused(refusal.reason)
    case .success(let found): (member, isOpen) = found
    }
    defer { didUse(member) }
    if isOpen {
      // A send without terms needs no record where the action is decided at once.
      if context == nil, tree == nil, sendersKey == nil, !confirming { return member.store.send(action) }
      return member.store.send(action, context: context, in: tree, key: sendersKey, confirming: confirming)
    }
    guard let held = member.store.hold(action, context: context, in: tree, key: sendersKey, confirming: confirming)
    else { return .refused(.full(at: .room)) }
    let (isHeld, reason) = registry.withLock { ($0.hold(held, for: member), member.refusal) }
    if let reason {
      member.store.reject(held, reason)
    } else if !isHeld {
      member.store.pass(held)
    }
    return held.receipt
  }

  /// Calls a closure with the open store of a key.
  ///
  /// - Throws: ``StoreError`` if the key cannot be opened, and the errors of the closure; `CancellationError` if the task is cancelled before the key is open.
  nonisolated(nonsending) func withStore<Value>(
    of key: JournalKey, isWake: Bool = false, _ body: nonisolated(nonsending) (Store<I>) async throws -> Value
  ) async throws -> Value {
    let member = try await open(key, isWake: isWake)
    defer { didUse(member) }
    return try await body(member.store)
  }

  /// Returns the open store of a key, whose use has begun.
  nonisolated(nonsending) func open(_ key: JournalKey, isWake: Bool = false) async throws -> Member {
    let (member, isOpen) = try use(key, isWake: isWake).mapError { $0.error }.get()
    if isOpen { return member }
    let promise = Promise<Rejection?>()
    let isWaiting = registry.withLock { _ in member.waitForOpening(promise) }
    let refusal: Rejection? =
      if isWaiting {
        await withTaskCancellationHandler {
          await promise.value
        } onCancel: {
          promise.fulfil(nil)
        }
      } else {
        registry.withLock { _ in member.refusal }
      }
    let isOpenNow = registry.withLock { _ in !member.isWaiting }
    if refusal == nil, isOpenNow { return member }
    didUse(member)
    throw refusal.map { RejectedUse(reason: $0).error } ?? CancellationError()
  }

  // MARK: Work

  func perform(_ works: [Registry.Work]) {
    for work in works {
      switch work {
      case .open(let member): Task.detached { [self] in await open(member) }
      case .examine(let member, let generation, let watches):
        Task.detached { [self] in await hibernate(member, generation: generation, watches: watches) }
      case .sweep:
        let task = Task.detached { [self] in await sweep() }
        sweeper.withLock { $0 = task }
      case .resume(let promises, let refusal): for promise in promises { promise.fulfil(refusal) }
      case .resumeHibernated(let promises, let has): for promise in promises { promise.fulfil(has) }
      case .reject(let actions, let member, let reason): for action in actions { member.store.reject(action, reason) }
      }
    }
  }

  private func open(_ member: Member) async {
    do throws(JournalError) {
      let opening = try await source.open(member.store, of: member.key, member.interceptors, member.feedbacks) {
        [weak self, weak member] in
        guard let self, let member else { return }
        didStop(member, $0)
      }
      registry.withLock { _ in member.opening = opening }
    } catch {
      didFail(error)
      let reason = source.partitions?.refusal(of: member.partition, after: error) ?? .journal(error)
      return perform(registry.withLock { $0.didFailToOpen(member, reason) })
    }
    while true {
      let now = time.now()
      let (held, works) = registry.withLock { $0.didOpen(member, at: now) }
      perform(works)
      guard let held else { return }
      for action in held { member.store.pass(action) }
    }
  }

  /// Hibernates the key of a store if the store is idle, and has been since it was used that many times.
  private func hibernate(_ member: Member, generation: Int, watches: Bool) async {
    let idle = member.store.idleState(orWhenIdle: watches ? watcher(of: member) : nil)
    let now = time.now()
    guard let idle else { return perform(registry.withLock { $0.isBusy(member, at: now) }) }
    if !source.mayHibernate(idle.snapshot.state, of: member.key) {
      return perform(
        registry.withLock { $0.stays(member, generation: generation, isUnwatched: watches, at: now) })
    }
    let (begins, first) = registry.withLock {
      $0.close(member, generation: generation, isUnwatched: watches, at: now)
    }
    perform(first)
    guard begins else { return }
    if idle.rests {
      await member.store.shutdown()
      perform(registry.withLock { $0.didShutDown(member) })
      await member.store.waitForHandlers()
      if member.store.metricsAtOnce?.sent != idle.sent {
        // A timer was due between the two, because the wall time was set, so the log may say another time.
        openAgain(member)
      } else if let end = idle.end {
        waker?.didHibernate(member.key, until: end)
      }
    } else {
      await registry.withLock { _ in member.opening }?.close(idle.snapshot)
    }
    let metrics = member.store.metricsAtOnce
    let works = registry.withLock { registry in
      registry.count(metrics, of: member)
      return registry.didClose(member)
    }
    perform(works)
  }

  /// Lists the key of a store again once the store may be idle.
  private func watcher(of member: Member) -> @Sendable () -> Void {
    { [weak self, weak member] in
      guard let self, let member else { return }
      let now = time.now()
      let works = registry.withLock { $0.mayBeIdle(member, at: now) }
      // This may be called in a step of the store, so nothing else is done here.
      if !works.isEmpty { Task.detached { self.perform(works) } }
    }
  }

  /// Removes a store whose journal has failed; its open runs are handled again by another one, unless another process writes its log.
  private func didStop(_ member: Member, _ failure: JournalError) {
    didFail(failure)
    let metrics = member.store.metricsAtOnce
    let works = registry.withLock { registry in
      registry.count(metrics, of: member)
      return registry.didStop(member)
    }
    perform(works)
    if failure.isLoss { return }
    openAgain(member)
  }

  /// Opens a key again in a second.
  private func openAgain(_ member: Member) { waker?.didStop(member.key, at: parts.configuration.wallTime()) }

  /// The time on the clock of the stores.
  var now: Int64 { time.now() }

  /// Sleeps on the clock of the stores.
  func sleep(for duration: Duration) async throws { try await time.sleep(until: time.now() &+ duration.nanoseconds) }

  /// Hibernates keys that have been unused for long, until every key is used.
  private func sweep() async {
    while !Task.isCancelled {
      let now = time.now()
      let (works, next) = registry.withLock { $0.expire(at: now) }
      perform(works)
      guard let next else { return }
      try? await time.sleep(until: next)
    }
  }

  /// Refuses further uses, and ends the task that sweeps.
  ///
  /// - Parameter drains: Whether keys are still opened to which actions were sent.
  func refuseMore(drains: Bool = false) {
    perform(registry.withLock { $0.end(.shuttingDown, drains: drains) })
    sweeper.withLock { $0 }?.cancel()
  }
}

/// The refusal of a use.
struct RejectedUse: Error {
  let reason: Rejection
  /// Whether the stores of all keys have ended, if the reason is an error of the journal.
  var isFinal = false

  /// The error of a call that reads.
  var error: StoreError {
    switch reason {
    case .shuttingDown: StoreError(.shutDownBeforeAcceptance)
    case .journal(let error): StoreError(isFinal ? .journalFailed(error) : .notOpened(error))
    default: StoreError(.ended(.rejected(reason)))
    }
  }
}

extension KeyRegistry.Found {
  /// Whether it is a store that is open.
  var isOpen: Bool {
    if case .member(let member) = self, case .open = member.phase { true } else { false }
  }
}

extension KeyedStore {
  /// The reason for which the store was never opened; nil if it was, or is to be.
  var refusal: Rejection? {
    if case .ended(let reason) = phase { reason } else { nil }
  }

  /// Whether the store is to be opened.
  var isWaiting: Bool {
    switch phase {
    case .waiting, .opening: true
    case .open, .closing, .ended: false
    }
  }

  /// Registers a caller that waits for the opening; false if that is over.
  func waitForOpening(_ promise: Promise<Rejection?>) -> Bool {
    if isWaiting { opened.append(promise) }
    return isWaiting
  }
}

/// The closures from which the store of a key is made.
struct KeyParts<Key: LosslessStringConvertible & Hashable & Sendable, I: Interactor>: Sendable {
  let configuration: StoreConfiguration
  let initial: @Sendable (Key) -> I.State
  let interactor: @Sendable (Key) -> I
  let interceptors: @Sendable (Key) -> [any Interceptor<I>]
  let feedbacks: @Sendable (Key) -> [KeyFeedback<I.State, I.Action>]

  /// Creates the store of a key, which is not open.
  func store(of key: JournalKey, in partition: Int, _ source: any KeySource<I>) -> Result<KeyedStore<I>, RejectedUse> {
    guard let id = Key(key.name), id.description.utf8.elementsEqual(key.name.utf8) else {
      return .failure(RejectedUse(reason: .journal(JournalError.noKey(key, of: Key.self))))
    }
    let feedbacks = KeyFeedbacks(feedbacks(id).flatMap(\.feedbacks))
    let store = Store.unopened(
      initial: initial(id), interactor: interactor(id), configuration: configuration, gate: source.makeGate())
    return .success(KeyedStore(key, in: partition, store, interceptors(id), feedbacks))
  }
}
