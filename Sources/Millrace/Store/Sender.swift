/// A store, or a view of one, that takes actions.
protocol ActionTaking<Action>: Sendable {
  associatedtype Action: Sendable

  func send(_ action: Action, _ terms: SendTerms) -> Receipt
  func send(contentsOf actions: some Sequence<Action>) -> BatchReceipt
  func submit(_ action: Action, _ terms: SendTerms) async throws -> Receipt
}

/// The parameters of a send besides the action.
struct SendTerms: Sendable {
  let context: TraceContext?
  let tree: RunTree?
  let demands: JournaledSend?

  /// Whether the sender waits for the end, so that a run may not send the action without a timeout.
  var isRequest = false

  init(_ context: TraceContext?, _ tree: RunTree?, key: String?, confirming: Bool) {
    self.context = context
    self.tree = tree
    demands = .demands(key: key, confirming: confirming)
  }

  /// Whether an action with these parameters is sent like one without any.
  var isEmpty: Bool { context == nil && tree == nil && demands == nil && !isRequest }
}

/// Sends to a store.
struct CoreTaking<I: Interactor>: ActionTaking {
  let core: StoreCore<I>

  /// The store, if this holds it.
  var store: Store<I>?

  func send(_ action: I.Action, _ terms: SendTerms) -> Receipt {
    if terms.isEmpty { return core.send(action) }
    return core.send(action, context: terms.context, in: terms.tree, terms.demands, answer: answer(terms))
  }

  func send(contentsOf actions: some Sequence<I.Action>) -> BatchReceipt { core.send(contentsOf: actions) }

  func submit(_ action: I.Action, _ terms: SendTerms) async throws -> Receipt {
    try await core.submit(action, context: terms.context, in: terms.tree, terms.demands, answer: answer(terms))
  }

  /// Marks an action as a request; the caller reads its answer itself.
  private func answer(_ terms: SendTerms) -> AnswerReader<I.State>? {
    guard terms.isRequest else { return nil }
    return { _ in }
  }
}

extension Store {
  /// This store for code that may send actions, and read nothing.
  public nonisolated var sender: Sender<I.Action> {
    Sender(CoreTaking(core: core, store: self))
  }
}

/// The sending side of a store: it takes actions of one type, and says nothing of the state or the interactor.
///
/// ```swift
/// let importer = Importer(sender: store.sender)
/// let search = store.sender.scope { Catalog.Action.search($0) }
/// ```
///
/// Only a store makes one. Everything holds as it does for the store itself: order, isolation, backpressure, outcomes.
///
/// **Lifetime.** It is a view of the store and holds it. An interactor that keeps a sender of its own store keeps that store
/// for ever; a handler that uses one lets it go when it returns.
public struct Sender<Action: Sendable>: Sendable {
  let target: any ActionTaking<Action>

  init(_ target: some ActionTaking<Action>) {
    self.target = target
  }

  /// Sends an action to the store without suspending, as ``Store/send(_:context:in:key:confirming:)``, with the same parameters.
  @discardableResult
  public func send(
    _ action: Action, context: TraceContext? = nil, in tree: RunTree? = nil, key: String? = nil,
    confirming: Bool = false
  ) -> Receipt {
    target.send(action, SendTerms(context, tree, key: key, confirming: confirming))
  }

  /// Sends actions to the store in order, many of them while it holds the lock, as ``Store/send(contentsOf:)``.
  @discardableResult
  public func send(contentsOf actions: some Sequence<Action>) -> BatchReceipt {
    target.send(contentsOf: actions)
  }

  /// Sends an action to the store as soon as it has room for one that waits, as ``Store/submit(_:context:in:key:confirming:)``, with the
  /// same parameters.
  ///
  /// **Cancellation.** Ends the wait, and the action was never accepted.
  ///
  /// - Throws: `CancellationError` when the task is cancelled while it waits; ``StoreError`` when the store is shut down
  ///   before the action was accepted.
  @discardableResult
  public func submit(
    _ action: Action, context: TraceContext? = nil, in tree: RunTree? = nil, key: String? = nil,
    confirming: Bool = false
  ) async throws -> Receipt {
    try await target.submit(action, SendTerms(context, tree, key: key, confirming: confirming))
  }

  /// A sender of other actions, each of which this one sends as the action that `action` makes of it.
  ///
  /// - Parameter action: quick and free of effects; it is called once for each action, by the sender.
  public func scope<Part: Sendable>(_ action: @escaping @Sendable (Part) -> Action) -> Sender<Part> {
    Sender<Part>(ScopedTaking(whole: target, action: action))
  }
}

/// Sends each action as another one.
private struct ScopedTaking<Whole: Sendable, Action: Sendable>: ActionTaking {
  let whole: any ActionTaking<Whole>
  let action: @Sendable (Action) -> Whole

  func send(_ action: Action, _ terms: SendTerms) -> Receipt {
    whole.send(self.action(action), terms)
  }

  func send(contentsOf actions: some Sequence<Action>) -> BatchReceipt {
    whole.send(contentsOf: actions.map(action))
  }

  func submit(_ action: Action, _ terms: SendTerms) async throws -> Receipt {
    try await whole.submit(self.action(action), terms)
  }
}
