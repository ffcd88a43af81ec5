/// A store, or a view of one, that takes actions.
protocol ActionTaking<Action>: Sendable {
  associatedtype Action: Sendable

  func send(_ action: Action, context: TraceContext?) -> Receipt
  func send(contentsOf actions: some Sequence<Action>) -> BatchReceipt
  func submit(_ action: Action) async throws -> Receipt
}

/// Sends to a store.
struct CoreTaking<I: Interactor>: ActionTaking {
  let core: StoreCore<I>

  /// The store, if this holds it.
  var store: Store<I>?

  func send(_ action: I.Action, context: TraceContext?) -> Receipt {
    if let context { core.send(action, context: context, in: nil) } else { core.send(action) }
  }

  func send(contentsOf actions: some Sequence<I.Action>) -> BatchReceipt { core.send(contentsOf: actions) }

  func submit(_ action: I.Action) async throws -> Receipt { try await core.submit(action) }
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
  private let target: any ActionTaking<Action>

  init(_ target: some ActionTaking<Action>) {
    self.target = target
  }

  /// Gives the store an action without suspending, as ``Store/send(_:context:in:)``.
  @discardableResult
  public func send(_ action: Action, context: TraceContext? = nil) -> Receipt {
    target.send(action, context: context)
  }

  /// Gives the store actions in order, many of them while it holds the lock, as ``Store/send(contentsOf:)``.
  @discardableResult
  public func send(contentsOf actions: some Sequence<Action>) -> BatchReceipt {
    target.send(contentsOf: actions)
  }

  /// Gives the store an action as soon as it has room for one that waits, as ``Store/submit(_:)``.
  ///
  /// **Cancellation.** Ends the wait, and the action was never accepted.
  ///
  /// - Throws: `CancellationError` when the task is cancelled while it waits; ``StoreError`` when the store is shut down
  ///   before the action was accepted.
  @discardableResult
  public func submit(_ action: Action) async throws -> Receipt {
    try await target.submit(action)
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

  func send(_ action: Action, context: TraceContext?) -> Receipt {
    whole.send(self.action(action), context: context)
  }

  func send(contentsOf actions: some Sequence<Action>) -> BatchReceipt {
    whole.send(contentsOf: actions.map(action))
  }

  func submit(_ action: Action) async throws -> Receipt {
    try await whole.submit(self.action(action))
  }
}
