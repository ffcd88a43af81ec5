/// Sees every action on its way into a store, and is told of what becomes of it.
///
/// A store has an ordered chain of interceptors, given when it is made or set later by
/// ``Store/setInterceptors(_:)``. One action comes in and at most one goes on, so that receipts stay one to one: to delay or to
/// multiply an action an interceptor rejects it and sends others, which have receipts of their own.
///
/// **Order.** An action passes the interceptors in their order, then they are told in the same order. An action that an
/// interceptor sends passes the whole chain, once the action that is being intercepted has gone on.
///
/// **Isolation.** ``intercept(_:context:)`` is called on the sender's thread, by several senders at once. The others are called
/// with the store's lock, one call at a time, on any thread: they must be quick, and must not block. All may send to the store.
/// There is one exception: the end of an action that is rejected because ``StoreLimits/queuedActions`` actions are queued
/// already. The sender's thread calls ``ended(_:outcome:)`` for it, without the store's lock, concurrently with other calls
/// and in no order relative to commits.
///
/// **Lifetime.** The store holds its interceptors until it is released or gets others. An interceptor may keep contexts, and
/// may hold the store only weakly, or as long as it is to live.
///
/// Every method has a default that does nothing.
public protocol Interceptor<Action, Mutation, State>: Sendable {
  /// What is sent to the store.
  associatedtype Action: Sendable

  /// What the store applies to its state.
  associatedtype Mutation: Sendable

  /// What the store owns.
  associatedtype State: Sendable

  /// Says what goes on in place of an action, before it is accepted.
  func intercept(_ action: Action, context: InterceptionContext<Action>) -> Interception<Action>

  /// Tells that an action was accepted; what its plan lets wait may be taken up later, or never.
  func accepted(_ cause: Cause<Action>)

  /// Tells of a commit.
  ///
  /// - Parameters:
  ///   - mutation: what was applied.
  ///   - revision: its place in the order of commits.
  ///   - cause: the action that brought it about, and where that came from.
  ///   - state: the state after; a copy that is kept costs the store one copy of what it changes next.
  func committed(_ mutation: Mutation, revision: Int, cause: Cause<Action>, state: borrowing State)

  /// Tells how an action ended, accepted or not; once for each.
  ///
  /// An action that is rejected because too many are queued ends without having passed the chain.
  func ended(_ cause: Cause<Action>, outcome: Outcome)
}

extension Interceptor {
  /// Lets the action pass.
  public func intercept(_ action: Action, context: InterceptionContext<Action>) -> Interception<Action> { .pass }

  /// Does nothing.
  public func accepted(_ cause: Cause<Action>) {}

  /// Does nothing.
  public func committed(_ mutation: Mutation, revision: Int, cause: Cause<Action>, state: borrowing State) {}

  /// Does nothing.
  public func ended(_ cause: Cause<Action>, outcome: Outcome) {}
}
