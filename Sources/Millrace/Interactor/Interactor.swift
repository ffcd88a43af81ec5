/// Turns actions into mutations, and folds mutations into state; a service writes it, and a ``Store`` runs it.
///
/// An interactor is a struct, or a final class or actor that names itself where a struct writes `Effect<Self>`. It holds
/// gateways and no state of its own: all that it knows is in `State`.
///
/// The way of one action: ``Store/send(_:)`` accepts it, ``decide(_:state:)`` answers at once, and, where that
/// asks for it, ``handle(_:state:)`` is run. Its mutations go through ``reduce(into:mutation:)`` one at a time.
public protocol Interactor<Action, Mutation, State>: Sendable {
  /// The requests that a store of this interactor accepts.
  associatedtype Action: Sendable

  /// A fact that is applied to the state.
  associatedtype Mutation: Sendable

  /// The value that the store owns.
  associatedtype State: Sendable

  /// The result of `handle`: `Effect<Self>`, an `AsyncStream`, or any asynchronous sequence of mutations.
  associatedtype Mutations: AsyncSequence where Mutations.Element == Mutation

  /// Does the asynchronous work for one action, and returns its mutations.
  ///
  /// **Order and isolation.** Runs of different actions go side by side. The mutations of one run commit in the order it
  /// produced them. The method is called in a task of its own, which inherits no task-local, priority or cancellation
  /// from the sender of the action. It begins on the sender's thread and stays there up to its first suspension, so blocking
  /// there blocks `send`. An `await` that has nothing to wait for is no suspension; a child task begins on the pool. With
  /// ``StoreConfiguration/HandlerStart/onPool``, of the plan or the configuration, the method itself begins on the pool.
  ///
  /// **Cancellation.** A run that is cancelled has its task cancelled, and nothing it produces later is committed, whether
  /// it heeds the cancellation or not.
  ///
  /// **Errors.** An error thrown out of the sequence ends the run as ``Outcome/failed(_:)`` and asks
  /// ``closing(_:outcome:)``; other runs and the store continue.
  ///
  /// **Cost.** A closure of the returned sequence that reads `state` holds this state until the run ends, and the store has to copy
  /// what it changes meanwhile: a commit to a dictionary of 200,000 elements takes milliseconds in place of less than a microsecond, once for
  /// each run that holds a state. Read ``Run/state`` inside the closure, or copy the part that is needed before it:
  ///
  /// ```swift
  /// let order = state.orders[id]                  // The part, not the state.
  /// return Effect { run in
  ///   try await gateway.pay(order)
  ///   let newest = try await run.state.orders[id] // The newest state, held no longer than this line.
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - action: the action that was sent.
  ///   - state: the newest state when the run started. ``Run/state`` is the newest at any later time.
  func handle(_ action: Action, state: State) async -> Mutations

  /// Applies one mutation to the state.
  ///
  /// Pure and deterministic: it is static so that it cannot read a gateway. It is called for one mutation at a time on the
  /// store's state, on whichever thread holds the lock.
  static func reduce(into state: inout State, mutation: Mutation)

  /// Returns what is known at once, in one atomic step with the state it was decided on.
  ///
  /// Called once for each action that is taken up, in accepted order, with every earlier commit in `state`; its mutations
  /// are committed with nothing in between. Synchronous and without effects: it must not block. Defaults to
  /// ``Decision/handle``.
  func decide(_ action: Action, state: State) -> Decision<Mutation>

  /// Returns the plan of the action: its overlap with earlier actions of its key, pace, limits, timeouts, retry and breaker.
  ///
  /// Called once, when the action is accepted, with the store's lock: quick and without effects. The state is the state of the step
  /// that takes the action from the queue, or that admits it. If the plan makes the action wait for nothing, this call,
  /// ``decide(_:state:)`` and the commits are one step on one state; otherwise `decide` judges anew, on the state of a later step.
  /// So an action whose answer the state already has can be planned as ``Plan/concurrent``, and costs what a decided action costs.
  ///
  /// Defaults to ``Plan/concurrent``, which costs nothing.
  func plan(for action: Action, state: State) -> Plan

  /// The mutation that closes an action which was taken up and ended otherwise than by finishing.
  ///
  /// Asked once, for every outcome but ``Outcome/finished``; what it returns is committed before the outcome can be seen,
  /// so that nothing stays "loading" for ever. Not asked when the store was released. Defaults to nil, which commits
  /// nothing.
  func closing(_ action: Action, outcome: Outcome) -> Mutation?
}

extension Interactor {
  /// Leaves everything to `handle`.
  @inlinable
  public func decide(_ action: Action, state: State) -> Decision<Mutation> {
    .handle
  }

  /// Starts beside all others.
  @inlinable
  public func plan(for action: Action, state: State) -> Plan {
    .concurrent
  }

  /// Closes nothing.
  @inlinable
  public func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    nil
  }
}
