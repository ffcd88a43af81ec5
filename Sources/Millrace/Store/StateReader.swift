/// The reading side of a store, or of a part of its state: it reads and observes, and sends nothing.
///
/// ```swift
/// let report = Report(reader: store.reader)
/// let badge = Badge(reader: store.reader.scope(\.inbox))
/// ```
///
/// Only a store makes one. Everything holds as it does for the store itself: order, isolation, cancellation, what an observer
/// costs.
///
/// **Lifetime.** It is a view of the store and holds it; the sequences it gives out do not.
public struct StateReader<State: Sendable>: Sendable {
  let source: any StateReading<State>

  init(_ source: some StateReading<State>) {
    self.source = source
  }

  // MARK: The state now

  /// The state now, as ``Store/state``.
  public var state: State {
    get async { await source.snapshot.state }
  }

  /// The state now, with its revision; a part of a state has the revision of the whole.
  public var snapshot: Snapshot<State> {
    get async { await source.snapshot }
  }

  // MARK: The state over time

  /// The states over time: the current one first, then the newest whenever the observer asks.
  ///
  /// Of a part there is an element whenever the whole state is newer, whether the part differs or not; ``values(of:)`` tells
  /// of what differs.
  public var states: StateSequence<State> {
    StateSequence(source: source.stateSource())
  }

  /// The states over time with their revisions, as `policy` says; see ``Store/states(_:)``.
  public func states<Failure>(_ policy: ObservationPolicy<Failure>) -> SnapshotSequence<State> {
    SnapshotSequence(makeReader: source.readers(policy.terms))
  }

  /// The values that a closure or a key path takes from the state, as `policy` says; see ``Store/values(of:_:)``.
  public func values<Value: Equatable & Sendable, Failure>(
    of get: @escaping @Sendable (State) -> Value, _ policy: ObservationPolicy<Failure>
  ) -> ValueSnapshotSequence<Value, Failure> {
    values(of: get, policy, removingDuplicatesBy: { $0 == $1 })
  }

  /// The values that a closure or a key path takes from the state, compared otherwise or not at all; see
  /// ``Store/values(of:_:removingDuplicatesBy:)``.
  public func values<Value: Sendable, Failure>(
    of get: @escaping @Sendable (State) -> Value, _ policy: ObservationPolicy<Failure>,
    removingDuplicatesBy areEqual: (@Sendable (Value, Value) -> Bool)?
  ) -> ValueSnapshotSequence<Value, Failure> {
    let makeReader = source.readers(policy.terms)
    return ValueSnapshotSequence { makeReader().part(get, removingDuplicatesBy: areEqual) }
  }

  /// One property of the state over time: the current value first, then whenever it differs from the one delivered last.
  ///
  /// However many observe one key path of a store's whole state, it is evaluated once for all of them. In a part it is
  /// evaluated once for each sequence that this returned.
  public func values<Value: Equatable & Sendable>(
    of keyPath: any KeyPath<State, Value> & Sendable
  ) -> ValueSequence<Value> {
    source.values(of: keyPath)
  }

  /// What a closure takes from the state, over time: the current value first, then whenever it differs from the one
  /// delivered last.
  ///
  /// - Parameter get: quick and free of effects; it is called with the store's lock, on any thread.
  public func values<Value: Equatable & Sendable>(_ get: @escaping @Sendable (State) -> Value) -> ValueSequence<Value> {
    source.values(get)
  }

  /// Waits for a state that satisfies `predicate`, and returns it, as ``Store/wait(until:timeout:)``.
  ///
  /// **Cancellation.** Ends the wait with `CancellationError`.
  ///
  /// - Parameters:
  ///   - predicate: quick and free of effects; it is called with the store's lock, on any thread.
  ///   - timeout: how long to wait on the store's clock; nil waits as long as it takes.
  /// - Throws: ``StoreError`` when time is up, or when the store is shut down first.
  @discardableResult
  public func wait(
    until predicate: @escaping @Sendable (State) -> Bool, timeout: Duration? = nil
  ) async throws -> State {
    try await source.wait(until: predicate, timeout: timeout)
  }

  // MARK: Parts

  /// A reader of the part of the state at a key path.
  public func scope<Part: Sendable>(_ keyPath: any KeyPath<State, Part> & Sendable) -> StateReader<Part> {
    scope { $0[keyPath: keyPath] }
  }

  /// A reader of what a closure takes from the state.
  ///
  /// - Parameter get: quick and free of effects; it is called by whoever reads, for observed values and waits with the
  ///   store's lock, on any thread.
  public func scope<Part: Sendable>(_ get: @escaping @Sendable (State) -> Part) -> StateReader<Part> {
    StateReader<Part>(PartReading(whole: source, get: get))
  }
}

/// What can be read and observed, whatever else it is.
protocol StateReading<State>: Sendable {
  associatedtype State: Sendable

  var snapshot: Snapshot<State> { get async }

  /// The state now, read before this returns: waits for at most the step in progress; nil from inside one.
  func snapshotAtOnce() -> Snapshot<State>?

  /// Where observers look for states; it does not hold the store.
  func stateSource() -> StateSource<State>

  func values<Value: Equatable & Sendable>(of keyPath: any KeyPath<State, Value> & Sendable) -> ValueSequence<Value>
  func values<Value: Equatable & Sendable>(_ get: @escaping @Sendable (State) -> Value) -> ValueSequence<Value>
  func wait(until predicate: @escaping @Sendable (State) -> Bool, timeout: Duration?) async throws -> State

  /// What makes readers of the states under a policy; it does not hold the store.
  func readers(_ policy: ObservationTerms) -> @Sendable () -> SnapshotReader<State>

  /// Where observers look for what `get` takes from each state; it does not hold the store.
  func stateSource<Part: Sendable>(of get: @escaping @Sendable (State) -> Part) -> StateSource<Part>
}

extension Store: StateReading {
  /// This store for code that may read and observe, and send nothing.
  public nonisolated var reader: StateReader<I.State> {
    StateReader(self)
  }

  /// The object that stands for this store where a witness is told of it; it does not hold the store.
  package nonisolated var identity: any AnyObject & Sendable { core }

  package nonisolated func snapshotAtOnce() -> Snapshot<I.State>? {
    core.readAtOnce()
  }

  nonisolated func stateSource() -> StateSource<I.State> {
    core.stateSource()
  }

  nonisolated func readers(_ policy: ObservationTerms) -> @Sendable () -> SnapshotReader<I.State> {
    Replay.readers(policy, at: core)
  }

  nonisolated func stateSource<Part: Sendable>(
    of get: @escaping @Sendable (I.State) -> Part
  ) -> StateSource<Part> {
    core.stateSource(of: get)
  }
}

/// Reads and observes a store, and does not hold it.
struct CoreReading<I: Interactor>: StateReading {
  let core: StoreCore<I>

  var snapshot: Snapshot<I.State> {
    get async { await core.read() }
  }

  func snapshotAtOnce() -> Snapshot<I.State>? { core.readAtOnce() }

  func stateSource() -> StateSource<I.State> { core.stateSource() }

  func values<Value: Equatable & Sendable>(
    of keyPath: any KeyPath<I.State, Value> & Sendable
  ) -> ValueSequence<Value> {
    ValueObservation.sequence(of: keyPath, at: core)
  }

  func values<Value: Equatable & Sendable>(_ get: @escaping @Sendable (I.State) -> Value) -> ValueSequence<Value> {
    ValueObservation.sequence(get, at: core)
  }

  func wait(until predicate: @escaping @Sendable (I.State) -> Bool, timeout: Duration?) async throws -> I.State {
    try await core.wait(until: predicate, timeout: timeout)
  }

  func readers(_ policy: ObservationTerms) -> @Sendable () -> SnapshotReader<I.State> {
    Replay.readers(policy, at: core)
  }

  func stateSource<Part: Sendable>(of get: @escaping @Sendable (I.State) -> Part) -> StateSource<Part> {
    core.stateSource(of: get)
  }
}

/// Reads what a closure takes from the state.
private struct PartReading<Whole: Sendable, State: Sendable>: StateReading {
  let whole: any StateReading<Whole>
  let get: @Sendable (Whole) -> State

  var snapshot: Snapshot<State> {
    get async { await whole.snapshot.map(get) }
  }

  func snapshotAtOnce() -> Snapshot<State>? {
    whole.snapshotAtOnce()?.map(get)
  }

  func stateSource() -> StateSource<State> {
    whole.stateSource(of: get)
  }

  func readers(_ policy: ObservationTerms) -> @Sendable () -> SnapshotReader<State> {
    let makeReader = whole.readers(policy)
    return { [get] in makeReader().part(get, removingDuplicatesBy: nil) }
  }

  func stateSource<Part: Sendable>(of get: @escaping @Sendable (State) -> Part) -> StateSource<Part> {
    whole.stateSource { [outer = self.get] in get(outer($0)) }
  }

  func values<Value: Equatable & Sendable>(of keyPath: any KeyPath<State, Value> & Sendable) -> ValueSequence<Value> {
    whole.values { [get] in get($0)[keyPath: keyPath] }
  }

  func values<Value: Equatable & Sendable>(_ get: @escaping @Sendable (State) -> Value) -> ValueSequence<Value> {
    whole.values { [outer = self.get] in get(outer($0)) }
  }

  func wait(until predicate: @escaping @Sendable (State) -> Bool, timeout: Duration?) async throws -> State {
    get(try await whole.wait(until: { [get] in predicate(get($0)) }, timeout: timeout))
  }
}

extension Snapshot {
  /// The same place in the order of commits, with what `get` takes from the state.
  func map<Part: Sendable>(_ get: (State) -> Part) -> Snapshot<Part> {
    Snapshot<Part>(revision: revision, state: get(state), missed: missed)
  }
}
