/// Observers: they look for a newer state, wait for one, and leave.
extension StoreCore {
  /// Shows the new store to the witness of its configuration, if that has one.
  @usableFromInline
  func introduce() {
    guard let witness = configuration.witness else { return }
    owned.madeRegistry(at: self).needs.insert(.commits)
    witness.storeMade { [weak self] in
      self?.cancelAll()
    } openActions: { [weak self] in
      self?.openActions() ?? []
    }
    if !ownInterceptors.isEmpty { setInterceptors([]) }
  }

  /// The source in which observers look for states; it does not hold this core.
  @inlinable
  func stateSource() -> StateSource<I.State> {
    StateSource { [weak self] seen, observer in
      guard let self else { return nil }
      return await self.newState(after: seen, observer)
    } leave: { [weak self] position in
      self?.leave(position)
    }
  }

  /// The source in which observers look for the part that `get` takes from each state; it does not hold this core.
  func stateSource<Part: Sendable>(of get: @escaping @Sendable (I.State) -> Part) -> StateSource<Part> {
    StateSource { [weak self] seen, observer in
      guard let self, let snapshot = await self.newState(after: seen, observer) else { return nil }
      return snapshot.map(get)
    } leave: { [weak self] position in
      self?.leave(position)
    }
  }

  /// The newest state if it is newer than `seen`; otherwise waits for one.
  @inlinable
  nonisolated(nonsending) func newState(after seen: Int, _ observer: StateObserver) async -> Snapshot<I.State>? {
    while !Task.isCancelled {
      var isNewer = true
      while isNewer, lock.tryLockSpinning() {
        let isOpen = owned.isOpen
        let snapshot = revision > seen ? owned.snapshot(at: self) : nil
        if let snapshot { owned.record(observer.position, at: snapshot.revision, self) }
        let registry = owned.registry
        unlock()
        if let snapshot { return snapshot }
        if !isOpen { return nil }
        isNewer = registry?.linger(after: seen, newest: newest) ?? false
      }
      await park(observer.waiter, after: seen)
    }
    return nil
  }

  @usableFromInline
  func leave(_ position: ObserverPosition) {
    lock.perform(for: self) { self.owned.registry?.positions.remove(position) }
  }

  /// Waits until there is a newer state than `seen`, the store is closed, or the task is cancelled.
  @usableFromInline
  nonisolated(nonsending) func park(_ waiter: Waiter, after seen: Int) async {
    await withTaskCancellationHandler {
      await waiter.wait {
        lock.perform(for: self) { self.owned.park(waiter, after: seen, at: self) }
      }
    } onCancel: {
      lock.perform(for: self) {
        self.owned.registry?.unpark(waiter)
        waiter.signal()
      }
    }
  }

  // MARK: Values

  /// Evaluates the parts of the state that observers wait for, until they match the newest state.
  @concurrent
  func passOverValues() async {
    while true {
      let isOver = Lock(false)
      performUrgently { owned in
        guard let registry = owned.registry else { return isOver.withLock { $0 = true } }
        let pass = registry.pass(over: owned.state, revision: self.revision)
        if !pass.told.isEmpty { self.lock.afterUnlock { pass.told.forEach { $0.signal() } } }
        isOver.withLock { $0 = pass.isOver }
      }
      if isOver.withLock({ $0 }) { return }
      await Task.yield()
    }
  }

  // MARK: Waiting for a state

  /// Waits for a state that satisfies the predicate.
  func wait(until predicate: @escaping @Sendable (I.State) -> Bool, timeout: Duration?) async throws -> I.State {
    let watcher = Watcher(predicate: predicate)
    return try await withTaskCancellationHandler {
      perform { $0.add(watcher, at: self) }
      let deadline = timeout.map { timeout in
        let clock = configuration.clock
        return Task {
          try await clock.sleep(for: timeout.bounded)
          endBehindItsJudgement(watcher)
        }
      }
      defer { deadline?.cancel() }
      return try await watcher.result()
    } onCancel: {
      watcher.end(.failure(CancellationError()))  // First, so that it is not added once it was removed.
      perform { $0.registry?.remove(watcher) }
    }
  }

  /// Ends a wait whose time is up, in a step behind the one in which the watcher judges the state that was current.
  private func endBehindItsJudgement(_ watcher: Watcher<I.State>) {
    perform { owned in
      owned.registry?.remove(watcher)
      self.lock.afterUnlock { watcher.end(.failure(StoreError(.noStateInTime))) }
    }
  }

  // MARK: Cursors

  /// Looks whether the cursor, which held the store up, still does.
  @usableFromInline
  func didProgress(_ cursor: LogCursor<I>) {
    perform { $0.didProgress(cursor, at: self) }
  }
}
