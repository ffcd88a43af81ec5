extension Committer {
  final var ownRegistry: ObserverRegistry<I> {
    if let registry { return registry }
    let made = ObserverRegistry<I>(published: revision)
    registry = made
    return made
  }

  /// Does without a registry if nobody needs it, so that commits cost nothing more.
  ///
  /// *Owner's.*
  final func dropRegistryIfUnused() {
    if registry?.isUnused == true { registry = nil }
  }

  // MARK: States

  /// Where observers look for states; it does not hold this committer.
  @inlinable
  final func stateSource() -> StateSource<I.State> {
    StateSource { [weak self] seen, observer in
      guard let self else { return nil }
      return await self.next(after: seen, observer)
    } leave: { [weak self] position in
      self?.leave(position)
    }
  }

  /// What makes readers of states under a policy; it does not hold this committer.
  @inlinable
  final func readers(_ policy: ObservationTerms) -> @Sendable () -> SnapshotReader<I.State> {
    switch policy {
    case .latest:
      let source = stateSource()
      return { SnapshotReader.latest(source) }
    case .every, .lossless:
      return { [weak self] in
        let replay = Replay(self, policy)
        return SnapshotReader { () async throws(ObservationError) -> Snapshot<I.State>? in
          guard let step = try await replay.next(), let state = replay.state else { return nil }
          return Snapshot(revision: replay.revision, state: state, missed: step.missed)
        }
      }
    }
  }

  /// The newest state if it is newer than `seen`; otherwise waits for one.
  @inlinable
  nonisolated(nonsending) final func next(after seen: Int, _ observer: StateObserver) async -> Snapshot<I.State>? {
    while !Task.isCancelled {
      var isNewer = true
      while isNewer, enterOrGiveUp() {
        let isOpen = isOpen
        let snapshot = revision > seen ? Snapshot(revision: revision, state: state) : nil
        if let snapshot { record(observer.position, at: snapshot.revision) }
        let registry = registry
        leave()
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
  /// *Owner's.*
  @inlinable
  final func record(_ position: ObserverPosition, at revision: Int) {
    if position.place == nil { takePlace(position) }
    position.seen = revision
  }

  @usableFromInline
  final func takePlace(_ position: ObserverPosition) {
    ownRegistry.positions.insert(position)
  }

  @usableFromInline
  final func leave(_ position: ObserverPosition) {
    perform { self.registry?.positions.remove(position) }
  }

  /// Waits until there is a newer state than `seen`, the store is closed, or the task is cancelled.
  @usableFromInline
  nonisolated(nonsending) final func park(_ waiter: Waiter, after seen: Int) async {
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

  /// The values at a key path; all observers of one key path share its evaluation.
  final func values<Value: Equatable & Sendable>(
    of keyPath: any KeyPath<I.State, Value> & Sendable
  ) -> ValueSequence<Value> {
    ValueSequence { [weak self] in
      let observation = ValueObservation<I, Value>(self) { registry in
        registry.part(at: keyPath) { ObservedValue { $0[keyPath: keyPath] } }
      } forget: { registry in
        registry.forget(keyPath)
      }
      return { await observation.next() }
    }
  }

  /// The values that a closure takes from the state; all observers of one sequence share its evaluation.
  final func values<Value: Equatable & Sendable>(
    _ get: @escaping @Sendable (I.State) -> Value
  ) -> ValueSequence<Value> {
    let shared = ObservedValue(get: get)
    return ValueSequence { [weak self] in
      let observation = ValueObservation<I, Value>(self) { _ in
        shared
      } forget: { _ in
      }
      return { await observation.next() }
    }
  }

  /// Evaluates the parts that somebody waits for, until they are as new as the state.
  @concurrent
  final func passOverValues() async {
    while true {
      let isOver = Lock(false)
      performUrgently {
        guard let registry = self.registry else { return isOver.withLock { $0 = true } }
        let pass = registry.pass(over: self.state, revision: self.revision)
        if !pass.told.isEmpty { self.afterLeaving { pass.told.forEach { $0.signal() } } }
        isOver.withLock { $0 = pass.isOver }
      }
      if isOver.withLock({ $0 }) { return }
      await Task.yield()
    }
  }

  // MARK: Waiting

  /// The first state from now on that satisfies the predicate.
  final func firstState(_ watcher: Watcher<I.State>) async throws -> I.State {
    try await withTaskCancellationHandler {
      perform {
        if watcher.hasEnded { return }
        if watcher.predicate(self.state) {
          let state = self.state
          self.afterLeaving { watcher.end(.success(state)) }
        } else if self.isOpen {
          self.ownRegistry.add(watcher)
        } else {
          self.afterLeaving { watcher.end(.failure(WaitError(.shutDown))) }
        }
      }
      return try await watcher.result()
    } onCancel: {
      stop(watcher, because: CancellationError())
    }
  }

  /// Ends a wait with an error.
  final func stop(_ watcher: Watcher<I.State>, because error: any Error) {
    watcher.end(.failure(error))  // First, so that it is not added once it was removed.
    perform { self.registry?.remove(watcher) }
  }
}
