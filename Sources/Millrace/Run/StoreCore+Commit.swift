public import Synchronization

/// Commits, and what is told of them.
extension StoreCore {
  /// Applies one mutation, and returns the revision of the state it led to.
  ///
  /// *With the lock.*
  @inlinable
  @inline(__always)
  @discardableResult
  func commit(_ mutation: I.Mutation) -> Int {
    I.reduce(into: &state, mutation: mutation)
    let revision = newest.load(ordering: .relaxed) &+ 1
    newest.store(revision, ordering: .releasing)
    if registry != nil { noteCommit(mutation) }
    return revision
  }

  /// Sees to those who wait for the state that was just committed.
  @inlinable
  @inline(never)
  func noteCommit(_ mutation: I.Mutation) {
    // Without a name for the registry, which would be retained.
    if registry?.isAwaited == true { lock.requireDuties() }
    if registry?.needsEach == true { show(mutation) }
  }

  /// Shows the mutation that was just committed to those who look at each.
  @inlinable
  func show(_ mutation: I.Mutation) {
    guard let registry else { return }
    if registry.keep(mutation, at: revision) { noteHold() }
    if registry.tellsCommits { didCommit(mutation) }
    if registry.hasWatchers { judge() }
    if registry.hasBonds { findOrphans() }
  }

  /// Asks who holds the store up.
  ///
  /// *With the lock.*
  @usableFromInline
  func noteHold() {
    observersHold(registry?.isBackpressured == true)
  }

  /// How many mutations were committed; exact with the lock, for others it may be more by now.
  @inlinable var revision: Int { newest.load(ordering: .acquiring) }

  /// Lets the predicates judge the state that was just committed.
  @usableFromInline
  func judge() {
    guard let satisfied = registry?.takeWatchers(satisfiedBy: state), !satisfied.isEmpty else { return }
    let state = state
    lock.afterUnlock { satisfied.forEach { $0.end(.success(state)) } }
  }

  /// Tells observers of what was committed since the lock was free.
  @usableFromInline
  package func willUnlock() {
    guard let registry else { return }
    let told = registry.publish(revision)
    if !told.isEmpty {
      lock.afterUnlock { told.forEach { $0.signal() } }
    }
    if registry.beginsPass(at: revision) {
      lock.afterUnlock { Task.detached { await self.passOverValues() } }
    }
  }

  /// The newest state, with every mutation in it that was sent or emitted before the call.
  @inlinable
  nonisolated(nonsending) package func read() async -> Snapshot<I.State> {
    if lock.tryLock() {
      let snapshot = Snapshot(revision: revision, state: state)
      unlock()
      return snapshot
    }
    return await readBehindOthers()
  }

  @usableFromInline
  nonisolated(nonsending) func readBehindOthers() async -> Snapshot<I.State> {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Snapshot<I.State>, Never>) in
      perform {
        let snapshot = Snapshot(revision: self.revision, state: self.state)
        self.lock.afterUnlock { continuation.resume(returning: snapshot) }
      }
    }
  }

  /// Ends the waits of all observers: no more mutations will come.
  ///
  /// *With the lock.*
  func close() {
    isOpen = false
    guard let registry else { return }
    let told = registry.end()
    let watchers = registry.takeWatchers()
    lock.afterUnlock {
      told.forEach { $0.signal() }
      watchers.forEach { $0.end(.failure(WaitError(.shutDown))) }
    }
  }
}
