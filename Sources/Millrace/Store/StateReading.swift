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
struct PartReading<Whole: Sendable, State: Sendable>: StateReading {
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
