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
  package nonisolated var identity: any AnyObject & Sendable { runner }

  package nonisolated func snapshotAtOnce() -> Snapshot<I.State>? {
    runner.readAtOnce()
  }

  nonisolated func stateSource() -> StateSource<I.State> {
    runner.stateSource()
  }

  nonisolated func readers(_ policy: ObservationTerms) -> @Sendable () -> SnapshotReader<I.State> {
    runner.readers(policy)
  }

  nonisolated func stateSource<Part: Sendable>(
    of get: @escaping @Sendable (I.State) -> Part
  ) -> StateSource<Part> {
    runner.stateSource(of: get)
  }
}

/// What reads of a runner does not hold the store.
extension Runner: StateReading {
  var snapshot: Snapshot<I.State> {
    get async { await read() }
  }

  func snapshotAtOnce() -> Snapshot<I.State>? { readAtOnce() }
}

extension Committer {
  /// Where observers look for what `get` takes from each state; it does not hold this committer.
  final func stateSource<Part: Sendable>(of get: @escaping @Sendable (I.State) -> Part) -> StateSource<Part> {
    StateSource { [weak self] seen, observer in
      guard let self, let snapshot = await self.next(after: seen, observer) else { return nil }
      return snapshot.map(get)
    } leave: { [weak self] position in
      self?.leave(position)
    }
  }

  /// The newest state, read before this returns: waits for at most the step in progress; nil from inside one.
  final func readAtOnce() -> Snapshot<I.State>? {
    performNow { Snapshot(revision: self.revision, state: self.state) }
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
