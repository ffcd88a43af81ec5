public import Millrace

/// A feedback of one of many keys: the state of the key says when the key has to be in memory for it.
///
/// It is one of the four kinds of `Feedback` of which a state says that: ``start(_:)``, ``react(to:effect:)``, ``react(toEach:effect:)`` and
/// ``timers(of:_:)``. Each works as the feedback of the same name. A feedback of another kind, such as one that reads a queue, belongs outside
/// of the stores, in a task that sends to the keys.
public struct KeyFeedback<State: Sendable, Action: Sendable>: Sendable {
  let feedbacks: [Feedback<State, Action>]

  @usableFromInline
  init(_ feedbacks: [Feedback<State, Action>]) { self.feedbacks = feedbacks }

  /// Sends actions each time the key is opened, before the actions that have opened it; see `Feedback.start`.
  public static func start(_ actions: Action...) -> KeyFeedback { KeyFeedback(actions.map { .start($0) }) }

  /// Runs an effect while the state asks for it with one query; see `Feedback.react(to:effect:)`.
  ///
  /// The key stays in memory until the effect returns. After a crash or a shutdown the key is opened for an effect that had not returned.
  ///
  /// - Parameters:
  ///   - query: A quick closure without effects, or a key path. It is called with the store's lock.
  ///   - effect: The effect, which feeds actions to the key. Its task is canceled when the query changes, and when the store of the key ends.
  @inlinable
  public static func react<Query: Hashable & Sendable>(
    to query: @escaping @Sendable (State) -> Query?,
    effect: @escaping @Sendable (Query, StoreAccess<State, Action>) async -> Void
  ) -> KeyFeedback {
    KeyFeedback([.react(to: query, effect: effect)])
  }

  /// Runs an effect for each of the queries that the state asks for, as ``react(to:effect:)`` does for one.
  ///
  /// - Parameters:
  ///   - queries: A quick closure without effects, or a key path. It is called with the store's lock.
  ///   - effect: The effect, which feeds actions to the key. Its task is canceled when its query is gone, and when the store of the key ends.
  @inlinable
  public static func react<Query: Hashable & Sendable>(
    toEach queries: @escaping @Sendable (State) -> Set<Query>,
    effect: @escaping @Sendable (Query, StoreAccess<State, Action>) async -> Void
  ) -> KeyFeedback {
    KeyFeedback([.react(toEach: queries, effect: effect)])
  }

  /// Sends an action for each timer of the state that is due; see `Feedback.timers(of:_:)`.
  ///
  /// A timer that is due opens a key that hibernates.
  ///
  /// - Parameters:
  ///   - timers: A quick closure without effects, or a key path. It is called with the store's lock.
  ///   - action: The action for an id that is due.
  public static func timers<ID>(
    of timers: @escaping @Sendable (State) -> Timers<ID>, _ action: @escaping @Sendable (ID) -> Action
  ) -> KeyFeedback {
    KeyFeedback([.timers(of: timers, action)])
  }
}
