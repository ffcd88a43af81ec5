/// Intercepts every action on its way into a store, and is notified of its acceptance, its commits and its outcome.
///
/// A store has an ordered chain of interceptors, given when it is made or set later by
/// ``Store/setInterceptors(_:)``. One action comes in and at most one passes, so that receipts stay one to one: to delay or to
/// multiply an action an interceptor rejects it and sends others, which have receipts of their own.
///
/// **Order.** An action passes the interceptors in their order, and they are then notified in the same order. An action that an
/// interceptor sends passes the whole chain, once the action that is being intercepted has passed.
///
/// **Isolation.** ``intercept(_:context:)`` is called on the sender's thread, by several senders at once. The others are called
/// with the store's lock, one call at a time, on any thread: they must be quick, and must not block. All may send to the store.
/// There is one exception: the end of an action that is rejected because as many actions are queued as
/// ``StoreConfiguration/Limits`` allows. The sender's thread calls ``ended(_:outcome:)`` for it, without the store's lock, concurrently with other calls
/// and in no order relative to commits.
///
/// **Lifetime.** The store holds its interceptors until it is released or gets others. An interceptor may keep contexts, and
/// may hold the store only weakly, or as long as it is to live.
///
/// An interceptor for the stores of one interactor names it with a `typealias I`. An interceptor for the stores of any interactor is
/// generic: `struct Logger<I: Interactor>: Interceptor`. Every method has a default that does nothing.
public protocol Interceptor<I>: Sendable {
  /// The interactor of the store.
  associatedtype I: Interactor

  /// Passes, replaces or rejects an action before it is accepted.
  func intercept(_ action: I.Action, context: InterceptionContext<I.Action>) -> Interception<I.Action>

  /// Notifies that an action was accepted; an action that its plan makes wait is taken up later, or never.
  func accepted(_ cause: Cause<I.Action>)

  /// Notifies of a commit.
  ///
  /// - Parameters:
  ///   - mutation: the mutation that was applied.
  ///   - revision: its position in the order of commits.
  ///   - cause: the action that brought it about, and where that came from.
  ///   - state: the state after; a copy that is kept costs the store one copy of what it changes next.
  func committed(_ mutation: I.Mutation, revision: Int, cause: Cause<I.Action>, state: borrowing I.State)

  /// Notifies of the end of an action, whether it was accepted or not; once for each action.
  ///
  /// An action that is rejected because too many are queued ends without having passed the chain.
  func ended(_ cause: Cause<I.Action>, outcome: Outcome)
}

extension Interceptor {
  /// Passes the action unchanged.
  public func intercept(_ action: I.Action, context: InterceptionContext<I.Action>) -> Interception<I.Action> { .pass }

  /// Does nothing.
  public func accepted(_ cause: Cause<I.Action>) {}

  /// Does nothing.
  public func committed(_ mutation: I.Mutation, revision: Int, cause: Cause<I.Action>, state: borrowing I.State) {}

  /// Does nothing.
  public func ended(_ cause: Cause<I.Action>, outcome: Outcome) {}
}

/// The result of an interception.
@frozen
public enum Interception<Action: Sendable>: Sendable {
  /// Passes the action unchanged.
  case pass

  /// Passes this action in its place, under its receipt.
  case replace(Action)

  /// Rejects the action as ``Rejection/intercepted(_:)`` with this reason.
  case reject(String)
}

/// The origin of an intercepted action, and the means to send others.
public struct InterceptionContext<Action: Sendable>: Sendable {
  /// The run whose handler sent it, or nil.
  public let parent: RunID?

  /// The first run of the chain, or nil if the chain begins with the action.
  public let root: RunID?

  /// The trace it belongs to.
  public let trace: TraceContext?

  @usableFromInline let pass: @Sendable (Action) -> Void

  @inlinable
  init(
    parent: RunID?, root: RunID?, trace: TraceContext?, send: @escaping @Sendable (Action) -> Void
  ) {
    self.parent = parent
    self.root = root
    self.trace = trace
    pass = send
  }

  /// Sends an action to the store, now or later; it passes the whole chain, behind the one that is being intercepted.
  ///
  /// An interceptor may keep the context: it holds neither the store nor its interceptors. After the release of the store,
  /// this does nothing.
  public func send(_ action: Action) {
    pass(action)
  }
}

/// An interceptor that only intercepts: a closure that passes, replaces or rejects each action.
///
/// ```swift
/// let store = Store(
///   initial: Shop.State(), interactor: Shop(),
///   interceptors: [
///     ActionInterceptor { action, _ in action.isTooLong ? .reject("an article has at most 20 letters") : .pass }
///   ])
/// ```
///
/// The compiler infers the interactor where the interceptor is given to a store. An interceptor with state of its own is a class
/// whose method is given: `ActionInterceptor(hours.intercept)`.
///
/// **Order and isolation.** As ``Interceptor/intercept(_:context:)``: on the sender's thread, several calls at once.
public struct ActionInterceptor<I: Interactor>: Interceptor {
  private let interception: @Sendable (I.Action, InterceptionContext<I.Action>) -> Interception<I.Action>

  /// Creates an interceptor of a closure, which is kept as long as the interceptor is.
  ///
  /// - Parameter interception: Passes, replaces or rejects an action.
  public init(
    _ interception: @escaping @Sendable (I.Action, InterceptionContext<I.Action>) -> Interception<I.Action>
  ) {
    self.interception = interception
  }

  /// Calls the closure.
  public func intercept(_ action: I.Action, context: InterceptionContext<I.Action>) -> Interception<I.Action> {
    interception(action, context)
  }
}

/// A witness that intercepts too.
package protocol InterceptingWitness: StoreWitness {
  /// Creates the interceptor of a store, which comes behind all others; nil for none.
  ///
  /// Called when the store is made, and each time that it gets other interceptors.
  ///
  /// - Parameter state: the state of the store before the first commit that the interceptor sees.
  func interceptor<I: Interactor>(
    from state: I.State, of interactor: I.Type
  ) -> (any Interceptor<I>)?
}

/// The events of a store beyond those of an ``Interceptor``: an interceptor that is a sink too gets them.
///
/// The calls come in the order of the interceptors. Every method has a default that does nothing.
package protocol EventSink<I>: Sendable {
  /// The interactor of the store.
  associatedtype I: Interactor

  /// Notifies that the step is over in which an action was accepted.
  ///
  /// The mutations that were committed since ``Interceptor/accepted(_:)`` were committed in that one step: those that the action was
  /// decided to commit, and the closing mutations of the actions that it replaced. Mutations of handlers are never among them.
  /// Called with the store's lock, once for each action that was accepted, also if it waits or has ended.
  func stepEnded(of action: ActionID)

  /// Notifies that an action is rejected without ever having been accepted, which ``Interceptor/ended(_:outcome:)`` alone does not
  /// tell an interceptor that was set later.
  ///
  /// Called right before ``Interceptor/ended(_:outcome:)``, on the same thread.
  func refused(_ cause: Cause<I.Action>)

  /// Returns the rest before the next attempt of a run.
  ///
  /// A recorder keeps the rest, because the random source takes another part away from it each time. A resimulation replaces the
  /// rest by the recorded rest. Called with the store's lock; each call gets the rest that the previous call returned.
  ///
  /// - Parameters:
  ///   - drawn: the rest by the plan's backoff and jitter, or by the error that asked for a delay.
  ///   - attempt: the number of the attempt that failed, counted from 1.
  ///   - cause: the action that is handled.
  func rest(_ drawn: Duration, after attempt: Int, of cause: Cause<I.Action>) -> Duration
}

extension EventSink {
  package func stepEnded(of action: ActionID) {}

  package func refused(_ cause: Cause<I.Action>) {}

  package func rest(_ drawn: Duration, after attempt: Int, of cause: Cause<I.Action>) -> Duration { drawn }
}
