extension StoreCore {
  var ownRegistry: ObserverRegistry<I> {
    if let registry { return registry }
    let made = ObserverRegistry<I>(published: revision)
    registry = made
    return made
  }

  /// Does without a registry if nobody needs it, so that commits cost nothing more.
  ///
  /// *With the lock.*
  func dropRegistryIfUnused() {
    if registry?.isUnused == true { registry = nil }
  }

  // MARK: States

  /// Where observers look for states; it does not hold this core.
  @inlinable
  func stateSource() -> StateSource<I.State> {
    StateSource { [weak self] seen, observer in
      guard let self else { return nil }
      return await self.next(after: seen, observer)
    } leave: { [weak self] position in
      self?.leave(position)
    }
  }

  /// The newest state if it is newer than `seen`; otherwise waits for one.
  @inlinable
  nonisolated(nonsending) func next(after seen: Int, _ observer: StateObserver) async -> Snapshot<I.State>? {
    while !Task.isCancelled {
      var isNewer = true
      while isNewer, lock.tryLockSpinning() {
        let isOpen = isOpen
        let snapshot = revision > seen ? Snapshot(revision: revision, state: state) : nil
        if let snapshot { record(observer.position, at: snapshot.revision) }
        let registry = registry
        unlock()
        if let snapshot { return snapshot }
        if !isOpen { return nil }
        isNewer = registry?.linger(after: seen, newest: newest) ?? false
      }
      await park(observer.waiter, after: seen)
    }
    return nil
  }

  /// Notes what an observer has seen, for the store's metrics.
  ///
  /// *With the lock.*
  @inlinable
  func record(_ position: ObserverPosition, at revision: Int) {
    if position.place == nil { takePlace(position) }
    position.seen = revision
  }

  @usableFromInline
  func takePlace(_ position: ObserverPosition) {
    ownRegistry.positions.insert(position)
  }

  @usableFromInline
  func leave(_ position: ObserverPosition) {
    perform { self.registry?.positions.remove(position) }
  }

  /// Waits until there is a newer state than `seen`, the store is closed, or the task is cancelled.
  @usableFromInline
  nonisolated(nonsending) func park(_ waiter: Waiter, after seen: Int) async {
    await withTaskCancellationHandler {
      await waiter.wait {
        perform {
          if self.revision > seen || !self.isOpen {
            waiter.signal()
          } else {
            self.ownRegistry.park(waiter)
          }
        }
      }
    } onCancel: {
      perform {
        self.registry?.unpark(waiter)
        waiter.signal()
      }
    }
  }

  // MARK: Values

  /// Evaluates the parts that somebody waits for, until they are as new as the state.
  @concurrent
  func passOverValues() async {
    while true {
      let isOver = Lock(false)
      performUrgently {
        guard let registry = self.registry else { return isOver.withLock { $0 = true } }
        let pass = registry.pass(over: self.state, revision: self.revision)
        if !pass.told.isEmpty { self.lock.afterUnlock { pass.told.forEach { $0.signal() } } }
        isOver.withLock { $0 = pass.isOver }
      }
      if isOver.withLock({ $0 }) { return }
      await Task.yield()
    }
  }

  // MARK: Waiting

  /// The first state from now on that satisfies the predicate.
  func firstState(_ watcher: Watcher<I.State>) async throws -> I.State {
    try await withTaskCancellationHandler {
      perform {
        if watcher.hasEnded { return }
        if watcher.predicate(self.state) {
          let state = self.state
          self.lock.afterUnlock { watcher.end(.success(state)) }
        } else if self.isOpen {
          self.ownRegistry.add(watcher)
        } else {
          self.lock.afterUnlock { watcher.end(.failure(WaitError(.shutDown))) }
        }
      }
      return try await watcher.result()
    } onCancel: {
      stop(watcher, because: CancellationError())
    }
  }

  /// Ends a wait with an error.
  func stop(_ watcher: Watcher<I.State>, because error: any Error) {
    watcher.end(.failure(error))  // First, so that it is not added once it was removed.
    perform { self.registry?.remove(watcher) }
  }

  // MARK: Cursors

  /// Lets the cursor read on from the newest state, which it is given.
  ///
  /// *With the lock.*
  @usableFromInline
  func begin(_ cursor: LogCursor<I>) -> Snapshot<I.State> {
    ownRegistry.join(cursor, at: revision)
    cursor.delivered = revision
    cursorsChanged()
    return Snapshot(revision: revision, state: state)
  }

  /// Sees whether the cursor, which held the store up, still does.
  ///
  /// From any thread.
  @usableFromInline
  func noteProgress(of cursor: LogCursor<I>) {
    perform { [weak self] in
      guard let self else { return }
      self.registry?.log?.releaseIfNear(cursor, revision: self.revision)
      self.cursorsChanged()
    }
  }

  /// Keeps nothing for the cursor any more.
  ///
  /// *With the lock.*
  func end(_ cursor: LogCursor<I>) {
    registry?.leave(cursor)
    cursorsChanged()
  }

  @usableFromInline
  func cursorsChanged() {
    guard let registry else { return }
    observersHold(registry.isBackpressured)
    causesAreSought(registry.causeSeekers > 0)
    dropRegistryIfUnused()
  }

  // MARK: Parts and snapshots

  /// Where observers look for what `get` takes from each state; it does not hold this core.
  func stateSource<Part: Sendable>(of get: @escaping @Sendable (I.State) -> Part) -> StateSource<Part> {
    StateSource { [weak self] seen, observer in
      guard let self, let snapshot = await self.next(after: seen, observer) else { return nil }
      return snapshot.map(get)
    } leave: { [weak self] position in
      self?.leave(position)
    }
  }

  /// The newest state, read before this returns: waits for at most the step in progress; nil from inside one.
  func readAtOnce() -> Snapshot<I.State>? {
    performNow { Snapshot(revision: self.revision, state: self.state) }
  }
}
