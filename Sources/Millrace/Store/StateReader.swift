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

  /// The current state, as ``Store/state``; cancellation has no effect on the read.
  public var state: State {
    get async { await source.snapshot.state }
  }

  /// The current state with its revision; a part of a state has the revision of the whole.
  ///
  /// Cancellation has no effect on the read.
  public var snapshot: Snapshot<State> {
    get async { await source.snapshot }
  }

  // MARK: The state over time

  /// The states over time: the current one first, then the newest whenever the observer asks.
  ///
  /// Each is newer than the one before. Of a part there is an element whenever the whole state is newer, whether the
  /// part differs or not; `values(of:)` delivers only parts that differ.
  public var states: StoreSequence<State, Never> {
    let source = source.stateSource()
    return StoreSequence { source.states() }
  }

  /// The states over time under a policy.
  ///
  /// ```swift
  /// for try await state in store.states(.lossless()) { show(state) }
  /// ```
  ///
  /// Under a policy that delivers every state, the first element is the state at the making of the iterator.
  ///
  /// - Parameter policy: the states that an observer gets that is slower than the store.
  public func states<Failure>(_ policy: ObservationPolicy<Failure>) -> StoreSequence<State, Failure> {
    StoreSequence(states: source.readers(policy))
  }

  /// The states over time with their revisions, and the numbers of states that were skipped.
  ///
  /// Under a policy that delivers every state, the first element is the state at the making of the iterator.
  ///
  /// ```swift
  /// for await snapshot in store.snapshots(.every()) { print(snapshot.revision, snapshot.missed) }
  /// for try await name in store.reader.scope(\.user.name).snapshots(.lossless()) { print(name.state) }
  /// ```
  ///
  /// - Parameter policy: the states that an observer gets that is slower than the store.
  public func snapshots<Failure>(
    _ policy: ObservationPolicy<Failure> = ObservationPolicy<Never>.latest
  ) -> StoreSequence<Snapshot<State>, Failure> {
    StoreSequence(snapshots: source.readers(policy))
  }

  /// One property of the state over time: the current value first, then whenever it differs from the one delivered last.
  ///
  /// An equal value is never delivered twice in a row, and nil is a value. Under a policy that cannot fail the loop needs no
  /// `try`:
  ///
  /// ```swift
  /// for await name in store.values(of: \.user.name) { print(name) }
  /// for try await name in store.values(of: \.user.name, policy: .lossless()) { print(name) }
  /// ```
  ///
  /// ``snapshots(_:)`` of a ``scope(_:)`` delivers revisions, and values that are not `Equatable`; each state is an element there.
  ///
  /// **Cost.** Under ``ObservationPolicy/latest`` a key path of a store's whole state is evaluated once for all its
  /// observers, with the store's lock. In a part it is evaluated once for each sequence that this returned. With
  /// another policy, or another comparison, each observer evaluates it for itself, where it runs.
  ///
  /// - Parameters:
  ///   - keyPath: stored or computed; quick and free of effects.
  ///   - policy: which states are looked at.
  ///   - areEqual: compares with the value delivered last; nil is `==`.
  public func values<Value: Equatable & Sendable, Failure>(
    of keyPath: any KeyPath<State, Value> & Sendable,
    policy: ObservationPolicy<Failure> = ObservationPolicy<Never>.latest,
    by areEqual: (@Sendable (Value, Value) -> Bool)? = nil
  ) -> StoreSequence<Value, Failure> {
    guard policy.sharesEvaluation, areEqual == nil else {
      return StoreSequence(source.readers(policy), of: { $0[keyPath: keyPath] }, by: areEqual ?? { $0 == $1 })
    }
    return StoreSequence(observe: source.observers(of: keyPath))
  }

  /// A value that a closure takes from the state, over time: the current one first, then whenever it differs from the
  /// one delivered last.
  ///
  /// As for a key path. Under ``ObservationPolicy/latest`` the closure is called once for all observers of the sequence.
  ///
  /// - Parameters:
  ///   - get: quick and free of effects; it is called with the store's lock, on any thread, or where the observer runs.
  ///   - policy: which states are looked at.
  ///   - areEqual: compares with the value delivered last; nil is `==`.
  public func values<Value: Equatable & Sendable, Failure>(
    of get: @escaping @Sendable (State) -> Value,
    policy: ObservationPolicy<Failure> = ObservationPolicy<Never>.latest,
    by areEqual: (@Sendable (Value, Value) -> Bool)? = nil
  ) -> StoreSequence<Value, Failure> {
    guard policy.sharesEvaluation, areEqual == nil else {
      return StoreSequence(source.readers(policy), of: get, by: areEqual ?? { $0 == $1 })
    }
    return StoreSequence(observe: source.observers(of: get))
  }

  /// Waits for a state that satisfies `predicate`, and returns it.
  ///
  /// The current state is judged first, then every state that is committed, so that none is missed. The store is held while
  /// this waits.
  ///
  /// **Cancellation.** Ends the wait with `CancellationError`.
  ///
  /// - Parameters:
  ///   - predicate: quick and free of effects; it is called with the store's lock, on any thread.
  ///   - timeout: the longest wait, on the store's clock; nil waits without a limit.
  /// - Throws: ``StoreError`` when time is up, or when the store is shut down or its journal fails first.
  @discardableResult
  public func wait(
    until predicate: @escaping @Sendable (State) -> Bool, timeout: Duration? = nil
  ) async throws -> State {
    try await source.wait(until: predicate, timeout: timeout)
  }

  // MARK: Parts

  /// A reader of the part that a closure or a key path takes from the state.
  ///
  /// - Parameter get: quick and free of effects; it is called by the reader, for observed values and waits with the
  ///   store's lock, on any thread.
  public func scope<Part: Sendable>(_ get: @escaping @Sendable (State) -> Part) -> StateReader<Part> {
    StateReader<Part>(PartReading(whole: source, get: get))
  }
}

/// A store, or a view of one, that can be read and observed.
protocol StateReading<State>: Sendable {
  associatedtype State: Sendable

  var snapshot: Snapshot<State> { get async }

  /// The state now, read before this returns: waits for at most the step in progress; nil from inside one.
  func snapshotAtOnce() -> Snapshot<State>?

  /// The source of states for observers; it does not hold the store.
  func stateSource() -> StateSource<State>

  /// Creates observers of the newest values; they do not hold the store.
  func observers<Value: Equatable & Sendable>(
    of keyPath: any KeyPath<State, Value> & Sendable
  ) -> @Sendable () -> NextElement<Value>
  func observers<Value: Equatable & Sendable>(
    of get: @escaping @Sendable (State) -> Value
  ) -> @Sendable () -> NextElement<Value>

  func wait(until predicate: @escaping @Sendable (State) -> Bool, timeout: Duration?) async throws -> State

  /// Creates readers of the states under a policy; it does not hold the store.
  func readers<Failure>(_ policy: ObservationPolicy<Failure>) -> @Sendable () -> SnapshotReader<State>

  /// The source of the values that `get` takes from each state; it does not hold the store.
  func stateSource<Part: Sendable>(of get: @escaping @Sendable (State) -> Part) -> StateSource<Part>
}

extension Store {
  /// This store for code that may read and observe, and send nothing.
  public nonisolated var reader: StateReader<I.State> {
    StateReader(CoreReading(core: core, store: self))
  }

  /// The object that identifies this store to a witness; it does not hold the store.
  package nonisolated var identity: any AnyObject & Sendable { core }

  package nonisolated func snapshotAtOnce() -> Snapshot<I.State>? {
    core.readAtOnce()
  }
}

/// Reads and observes a store.
struct CoreReading<I: Interactor>: StateReading {
  let core: StoreCore<I>

  /// The store, if this holds it.
  var store: Store<I>?

  var snapshot: Snapshot<I.State> {
    get async { await core.read() }
  }

  func snapshotAtOnce() -> Snapshot<I.State>? { core.readAtOnce() }

  func stateSource() -> StateSource<I.State> { core.stateSource() }

  func stateSource<Part: Sendable>(of get: @escaping @Sendable (I.State) -> Part) -> StateSource<Part> {
    core.stateSource(of: get)
  }

  func observers<Value: Equatable & Sendable>(
    of keyPath: any KeyPath<I.State, Value> & Sendable
  ) -> @Sendable () -> NextElement<Value> {
    ValueObservation.observers(of: keyPath, at: core)
  }

  func observers<Value: Equatable & Sendable>(
    of get: @escaping @Sendable (I.State) -> Value
  ) -> @Sendable () -> NextElement<Value> {
    ValueObservation.observers(of: get, at: core)
  }

  func readers<Failure>(_ policy: ObservationPolicy<Failure>) -> @Sendable () -> SnapshotReader<I.State> {
    Replay.readers(policy, at: core)
  }

  func wait(until predicate: @escaping @Sendable (I.State) -> Bool, timeout: Duration?) async throws -> I.State {
    try await core.wait(until: predicate, timeout: timeout)
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

  func readers<Failure>(_ policy: ObservationPolicy<Failure>) -> @Sendable () -> SnapshotReader<State> {
    let makeReader = whole.readers(policy)
    return { [get] in makeReader().part(get) }
  }

  func stateSource<Part: Sendable>(of get: @escaping @Sendable (State) -> Part) -> StateSource<Part> {
    whole.stateSource { [outer = self.get] in get(outer($0)) }
  }

  func observers<Value: Equatable & Sendable>(
    of keyPath: any KeyPath<State, Value> & Sendable
  ) -> @Sendable () -> NextElement<Value> {
    whole.observers { [get] in get($0)[keyPath: keyPath] }
  }

  func observers<Value: Equatable & Sendable>(
    of get: @escaping @Sendable (State) -> Value
  ) -> @Sendable () -> NextElement<Value> {
    whole.observers { [outer = self.get] in get(outer($0)) }
  }

  func wait(until predicate: @escaping @Sendable (State) -> Bool, timeout: Duration?) async throws -> State {
    get(try await whole.wait(until: { [get] in predicate(get($0)) }, timeout: timeout))
  }
}

extension Snapshot {
  /// The same position in the order of commits, with what `get` takes from the state.
  func map<Part: Sendable>(_ get: (State) -> Part) -> Snapshot<Part> {
    Snapshot<Part>(revision: revision, state: get(state), missed: missed)
  }
}
