public import Observation

/// A store's state for a user interface: an `Observable` object of one actor, which follows the store.
///
/// ```swift
/// let observed = ObservedStore(store)          // on the main actor, or on any other
/// for await name in Observations({ observed.name }) { show(name) }
/// observed.send(.rename("Grace"))
/// ```
///
/// Members of the state are members of this: `observed.name`. A reader of an `Equatable` member is notified when that member
/// changes, and of no other change; a reader of another part, or of ``state`` as a whole, is notified of each newer state. To read a
/// member of the state that is called like one of this, say `observed.state.send`.
///
/// **Order.** States are followed as by ``StateReader/states``: each is newer than the one before, and states that come
/// faster than the actor takes them are skipped. All notifications of one state come together, before it is set, as
/// `Observable` objects do: first who reads ``state``, then of each member in the order in which they were first read since
/// they last changed.
///
/// **Isolation.** It belongs to the actor on which it was made, and cannot be sent to another. The initial value of a property
/// is not isolated yet: name the main actor there, `isolation: MainActor.shared`. Nor is an actor's initialiser, `async` or
/// not: such an actor makes it in a method.
///
/// **Cost.** For each newer state every key path that was read since it last changed is evaluated on the state before and
/// on the new one. A key path is forgotten when its readers were notified, because they then read again. If more than 1,024 are
/// known, which takes subscripts with as many arguments, all readers are notified of the next state whether their parts changed or not.
///
/// **Lifetime.** It holds the store. It follows until the store is shut down or this is released, and no task keeps it.
@dynamicMemberLookup
public final class ObservedStore<State: Sendable, Action: Sendable>: Observable {
  /// The reader of the state, also where it changes without being shown.
  public let reader: StateReader<State>

  /// The sender of actions, also with a trace or under backpressure.
  public let sender: Sender<Action>

  /// The key paths that were read since their values last changed.
  private(set) var readings: [PartialKeyPath<State>: Reading] = [:]
  private var lastNumber = 0

  private let registrar = ObservationRegistrar()
  private var newest: Snapshot<State>
  private var isTelling = false
  private(set) var updates: Task<Void, Never>?

  /// A key path that was read: whether two states differ in it, and how its readers are told.
  struct Reading {
    /// Its position in the order in which they are told.
    let number: Int
    let differs: (State, State) -> Bool
    let willChange: (ObservedStore) -> Void
    let didChange: (ObservedStore) -> Void
  }

  /// Observes the state of `reader`, and sends through `sender`; both may be of a part.
  ///
  /// The state is there when this returns: it waits for at most the one mutation that is being reduced.
  ///
  /// - Parameters:
  ///   - reader: of the state to be shown.
  ///   - sender: of the actions of those who see it.
  ///   - isolation: the actor this belongs to, which is the caller's.
  /// - Precondition: this is not called from inside a reducer, `decide` or an observing closure of the same store, where
  ///   there is no state to be read.
  public init(
    _ reader: StateReader<State>, _ sender: Sender<Action>, isolation: isolated (any Actor) = #isolation
  ) {
    guard let newest = reader.source.snapshotAtOnce() else {
      preconditionFailure("An ObservedStore cannot be made from inside a step of its store; make it outside.")
    }
    self.reader = reader
    self.sender = sender
    self.newest = newest
    let source = reader.source.stateSource()
    updates = Task { [weak self, revision = newest.revision] in
      _ = isolation
      let observer = source.makeObserver()
      var seen = revision
      while let snapshot = await source.next(seen, observer) {
        seen = snapshot.revision
        self?.follow(snapshot)
      }
    }
  }

  /// Observes a store; otherwise as ``init(_:_:isolation:)``.
  public convenience init<I: Interactor>(_ store: Store<I>, isolation: isolated (any Actor) = #isolation)
  where I.State == State, I.Action == Action {
    self.init(store.reader, store.sender, isolation: isolation)
  }

  /// Observes the state of `reader`, and sends nothing; otherwise as ``init(_:_:isolation:)``.
  public convenience init(_ reader: StateReader<State>, isolation: isolated (any Actor) = #isolation)
  where Action == Never {
    self.init(reader, Sender(NothingTaking()), isolation: isolation)
  }

  deinit {
    updates?.cancel()
  }

  // MARK: Reading

  /// The state that was followed last; its readers are notified of each newer one.
  public var state: State {
    registrar.access(self, keyPath: \.state)
    return newest.state
  }

  /// A part of the state; its readers are notified when it changes.
  public subscript<Value: Equatable>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
    note(keyPath)
    registrar.access(self, keyPath: \.[part: keyPath])
    return self[part: keyPath]
  }

  /// A part of the state that is not `Equatable`; its readers are notified of each newer state.
  public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
    state[keyPath: keyPath]
  }

  private subscript<Value>(part keyPath: KeyPath<State, Value>) -> Value {
    newest.state[keyPath: keyPath]
  }

  private func note<Value: Equatable>(_ keyPath: KeyPath<State, Value>) {
    guard readings[keyPath] == nil else { return }
    lastNumber += 1
    readings[keyPath] = Reading(number: lastNumber) { old, new in
      old[keyPath: keyPath] != new[keyPath: keyPath]
    } willChange: { observed in
      observed.registrar.willSet(observed, keyPath: \.[part: keyPath])
    } didChange: { observed in
      observed.registrar.didSet(observed, keyPath: \.[part: keyPath])
    }
  }

  // MARK: Sending

  /// Sends an action to the store, as ``Store/send(_:)``, and follows at once the state after its decision.
  ///
  /// So a control that sets a value finds it when this returns, unless another thread has the store's lock, or the readers
  /// of this are being notified just then; then it comes with the next state.
  @discardableResult
  public func send(_ action: Action) -> Receipt {
    let receipt = sender.send(action)
    if let snapshot = reader.source.snapshotAtOnce() { follow(snapshot) }
    return receipt
  }

  /// Sends an action to the store, waits until it has finished, follows the state, and returns the answer that `answer` reads from it.
  ///
  /// **Order.** The answer is read from the newest state of ``reader`` after the action has finished, which the readers of this have been
  /// notified of, unless they are being notified when the action finishes. The state holds everything the action committed, and may hold
  /// later commits; the answer to a repeated key likewise.
  ///
  /// **Cancellation.** A task that is cancelled already sends nothing. If it is cancelled while it waits, the call throws at once and the
  /// action continues, or is cancelled first if `cancelsAction` is true.
  ///
  /// **Backpressure, deadline.** As ``Store/request(_:context:in:key:confirming:waitingForRoom:cancelsAction:returning:)``.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - context: the trace, as in ``Store/send(_:context:in:key:confirming:)``, like the next three parameters.
  ///   - tree: the tree that the action becomes a member of, which cancels it and waits for its end.
  ///   - key: the idempotency key.
  ///   - confirming: whether to append a mark to the log if the decision commits nothing.
  ///   - waitingForRoom: whether to wait while the store has no room for another action, in place of a rejection.
  ///   - cancelsAction: whether cancelling the calling task cancels the action.
  ///   - isolation: the actor this belongs to, which is the caller's.
  ///   - answer: called once on this actor, if the action finishes.
  /// - Returns: the answer.
  /// - Throws: ``StoreError`` with the outcome if the action did not finish; ``StoreError`` `shutDown` if it waited for room when the
  ///   store was shut down, `deadlock` if the caller is a run that the action waits for; `CancellationError` if the calling task was
  ///   cancelled.
  public func request<Answer>(
    _ action: Action, context: TraceContext? = nil, in tree: RunTree? = nil, key: String? = nil,
    confirming: Bool = false, waitingForRoom: Bool = false, cancelsAction: Bool = false,
    isolation: isolated (any Actor)? = #isolation,
    returning answer: (State) -> Answer
  ) async throws -> Answer {
    try Task.checkCancellation()
    var terms = SendTerms(context, tree, key: key, confirming: confirming)
    terms.isRequest = true
    let receipt =
      waitingForRoom ? try await sender.target.submit(action, terms) : sender.target.send(action, terms)
    try await receipt.waitForFinish(cancelsAction: cancelsAction)
    let snapshot = await reader.snapshot
    follow(snapshot)
    return answer(snapshot.state)
  }

  // MARK: Following

  /// The largest number of key paths that are known from one state to the next; beyond it all readers are notified.
  static var readingsKept: Int { 1_024 }

  private func follow(_ snapshot: Snapshot<State>) {
    // A reader that sends while it is told is served by the task of updates.
    guard snapshot.revision > newest.revision, !isTelling else { return }
    isTelling = true
    defer { isTelling = false }
    let isCrowded = readings.count > ObservedStore.readingsKept
    let changed = readings.lazy.filter { isCrowded || $0.value.differs(self.newest.state, snapshot.state) }
      .sorted { $0.value.number < $1.value.number }
    for (keyPath, _) in changed { readings[keyPath] = nil }
    registrar.willSet(self, keyPath: \.state)
    for (_, reading) in changed { reading.willChange(self) }
    newest = snapshot
    for (_, reading) in changed { reading.didChange(self) }
    registrar.didSet(self, keyPath: \.state)
  }
}

/// Takes no action, for there is none.
private struct NothingTaking: ActionTaking {
  func send(_ action: Never, _ terms: SendTerms) -> Receipt {}
  func send(contentsOf actions: some Sequence<Never>) -> BatchReceipt { BatchReceipt() }
  func submit(_ action: Never, _ terms: SendTerms) async throws -> Receipt {}
}
