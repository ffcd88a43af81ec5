public import Synchronization

/// Owns the state of one store and applies mutations to it, one at a time, with the turn.
///
/// State, revision and registry are guarded by the turn of the ``Combiner`` it is. It knows nothing of actions and runs.
@usableFromInline
package class Committer<I: Interactor>: Combiner, @unchecked Sendable {
  /// The newest revision: written by the owner, read by anybody; it stands near the word and the state on purpose.
  @usableFromInline final let newest = Atomic(0)

  @usableFromInline final let interactor: I
  @exclusivity(unchecked) @usableFromInline final var state: I.State
  @exclusivity(unchecked) @usableFromInline final var registry: ObserverRegistry<I>?

  /// Whether more mutations may come, so that observers have something to wait for.
  @exclusivity(unchecked) @usableFromInline final var isOpen = true

  @usableFromInline
  init(state: I.State, interactor: I) {
    self.state = state
    self.interactor = interactor
    super.init()
  }

  /// Applies one mutation, and returns the revision of the state it led to.
  ///
  /// *Owner's.*
  @inlinable
  @inline(__always)
  @discardableResult
  final func commit(_ mutation: I.Mutation) -> Int {
    I.reduce(into: &state, mutation: mutation)
    let revision = newest.load(ordering: .relaxed) &+ 1
    newest.store(revision, ordering: .releasing)
    if registry != nil { noteCommit(mutation) }
    return revision
  }

  /// Sees to those who wait for the state that was just committed.
  @inlinable
  @inline(never)
  final func noteCommit(_ mutation: I.Mutation) {
    guard let registry else { return }
    if registry.isAwaited { hasErrands = true }
    if registry.needsEach { show(mutation) }
  }

  /// Shows the mutation that was just committed to those who look at each.
  @inlinable
  final func show(_ mutation: I.Mutation) {
    guard let registry else { return }
    if registry.keep(mutation, at: revision) { noteHold() }
    if registry.tellsCommits { didCommit(mutation) }
    if registry.hasWatchers { judge() }
    if registry.hasBonds { stateChanged() }
  }

  /// Tells of a commit, as long as the registry says that this is wanted.
  ///
  /// *Owner's.*
  @usableFromInline
  func didCommit(_ mutation: I.Mutation) {}

  /// Asks who holds the store up.
  ///
  /// *Owner's.*
  @usableFromInline
  final func noteHold() {
    observersHold(registry?.isBackpressured == true)
  }

  /// Says whether an observer is so far behind that the store should take on less; it may be told the same again.
  ///
  /// *Owner's.*
  func observersHold(_ isBackpressured: Bool) {}

  /// Says that what brings commits about is wanted, or no longer.
  ///
  /// *Owner's.*
  func causesAreSought(_ areSought: Bool) {}

  /// Told of each commit, after it, while runs live only as long as the state lets them; must not commit.
  ///
  /// *Owner's.*
  @usableFromInline
  func stateChanged() {}

  /// How many mutations were committed; the owner knows, for others it may be more by now.
  @inlinable final var revision: Int { newest.load(ordering: .acquiring) }

  /// Lets the predicates judge the state that was just committed.
  @usableFromInline
  final func judge() {
    guard let satisfied = registry?.takeWatchers(satisfiedBy: state), !satisfied.isEmpty else { return }
    let state = state
    afterLeaving { satisfied.forEach { $0.end(.success(state)) } }
  }

  /// Tells observers of what was committed in this turn.
  override final func prepareToLeave() {
    guard let registry else { return }
    let told = registry.publish(revision)
    if !told.isEmpty {
      afterLeaving { told.forEach { $0.signal() } }
    }
    if registry.beginsPass(at: revision) {
      afterLeaving { Task.detached { await self.passOverValues() } }
    }
  }

  /// The newest state, with every mutation in it that was sent or emitted before the call.
  @inlinable
  nonisolated(nonsending) package final func read() async -> Snapshot<I.State> {
    if tryEnter() {
      let snapshot = Snapshot(revision: revision, state: state)
      leave()
      return snapshot
    }
    return await readBehindOthers()
  }

  @usableFromInline
  nonisolated(nonsending) final func readBehindOthers() async -> Snapshot<I.State> {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Snapshot<I.State>, Never>) in
      perform {
        let snapshot = Snapshot(revision: self.revision, state: self.state)
        self.afterLeaving { continuation.resume(returning: snapshot) }
      }
    }
  }

  /// Ends the waits of all observers: no more mutations will come.
  ///
  /// *Owner's.*
  final func close() {
    isOpen = false
    guard let registry else { return }
    let told = registry.end()
    let watchers = registry.takeWatchers()
    afterLeaving {
      told.forEach { $0.signal() }
      watchers.forEach { $0.end(.failure(WaitError(.shutDown))) }
    }
  }
}
