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
  /// - Throws: ``WaitError`` when time is up, or when the store is shut down first.
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
