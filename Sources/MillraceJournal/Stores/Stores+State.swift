public import Millrace

extension Stores {
  // MARK: States

  /// The current state of a key, as `Store.state`; opens the key, which appends nothing.
  ///
  /// Cancellation ends the wait for the opening.
  ///
  /// - Throws: `StoreError` if the key cannot be opened, or after a shutdown; `CancellationError`.
  public func state(of id: Key) async throws -> I.State { try await snapshot(of: id).state }

  /// The current state of a key with its revision, read as ``state(of:)``.
  ///
  /// Cancellation ends the wait for the opening.
  ///
  /// - Throws: `StoreError` if the key cannot be opened, or after a shutdown; `CancellationError`.
  public func snapshot(of id: Key) async throws -> Snapshot<I.State> {
    try await core.withStore(of: journalKey(id)) { await $0.snapshot }
  }

  /// Waits for a state of a key that satisfies `predicate`, and returns it, as `Store.wait(until:timeout:)`.
  ///
  /// The key stays in memory meanwhile. Cancellation ends the wait with `CancellationError`.
  ///
  /// - Parameters:
  ///   - id: The key of the store.
  ///   - predicate: The condition, as that of `Store.wait(until:timeout:)`, which is judged once the key is open.
  ///   - timeout: The longest wait once the key is open; nil for any time.
  /// - Throws: `StoreError` when time is up, the key cannot be opened, or the store ends first.
  @discardableResult
  public func wait(
    for id: Key, until predicate: @escaping @Sendable (I.State) -> Bool, timeout: Duration? = nil
  ) async throws -> I.State {
    try await core.withStore(of: journalKey(id)) { try await $0.wait(until: predicate, timeout: timeout) }
  }

  // MARK: Sequences

  /// The states of a key over time, as `Store.states`; each iterator keeps the key in memory until it is released.
  ///
  /// An iterator opens the key when it is first asked. The sequence ends if the key cannot be opened.
  public func states(of id: Key) -> StoreSequence<I.State, Never> { sequence(of: id) { $0.states } }

  /// The states of a key over time under a policy, as `Store.states(_:)`; otherwise as ``states(of:)``.
  ///
  /// Under a policy that can fail, a key that cannot be opened is an error of the sequence.
  public func states<Failure>(
    of id: Key, _ policy: ObservationPolicy<Failure>
  ) -> StoreSequence<I.State, Failure> {
    sequence(of: id) { $0.states(policy) }
  }

  /// The states of a key over time with their revisions, as `Store.snapshots(_:)`; otherwise as ``states(of:_:)``.
  public func snapshots<Failure>(
    of id: Key, _ policy: ObservationPolicy<Failure> = ObservationPolicy<Never>.latest
  ) -> StoreSequence<Snapshot<I.State>, Failure> {
    sequence(of: id) { $0.snapshots(policy) }
  }

  /// A value that a closure takes from the state of a key over time, as `Store.values(of:)`; otherwise as ``states(of:_:)``.
  public func values<Value: Equatable & Sendable, Failure>(
    of id: Key, policy: ObservationPolicy<Failure> = ObservationPolicy<Never>.latest,
    _ get: @escaping @Sendable (I.State) -> Value
  ) -> StoreSequence<Value, Failure> {
    sequence(of: id) { $0.values(of: get, policy: policy) }
  }

  private func sequence<Element, Failure>(
    of id: Key, _ make: @escaping @Sendable (Store<I>) -> StoreSequence<Element, Failure>
  ) -> StoreSequence<Element, Failure> {
    let key = journalKey(id)
    return StoreSequence { [weak core] in
      let observer = KeyObserver(core, key, make)
      return observer.next
    }
  }
}

/// An observer of the store of one key, which opens the key when it is first asked, and uses it until it is released.
private final class KeyObserver<
  Key: LosslessStringConvertible & Hashable & Sendable, I: Interactor, Element: Sendable, Failure: Error
> {
  private weak var core: StoresCore<Key, I>?
  private weak var member: KeyedStore<I>?
  private let key: JournalKey
  private let make: @Sendable (Store<I>) -> StoreSequence<Element, Failure>
  private var iterator: StoreSequence<Element, Failure>.Iterator?
  private var hasEnded = false

  init(
    _ core: StoresCore<Key, I>?, _ key: JournalKey,
    _ make: @escaping @Sendable (Store<I>) -> StoreSequence<Element, Failure>
  ) {
    self.core = core
    self.key = key
    self.make = make
  }

  deinit { if let core, let member { core.didUse(member) } }

  func next() async throws(StoreError) -> Element? {
    if hasEnded { return nil }
    do {
      if iterator == nil {
        guard let core else { return nil }
        let member = try await core.open(key)
        self.member = member
        iterator = make(member.store).makeAsyncIterator()
      }
      if let element = try await iterator?.next() { return element }
    } catch {
      hasEnded = true
      guard let failure = error as? StoreError else { return nil }
      if failure.code == .shutDown { return nil }
      throw failure
    }
    hasEnded = true
    return nil
  }
}
