/// The access of a feedback or a thunk to its store: it sends actions, and reads the live state.
///
/// It does not hold the store. Once the store is shut down or released, actions are rejected and sequences have ended.
public struct StoreAccess<State: Sendable, Action: Sendable>: Sendable {
  /// Sends actions to the store; each passes the interceptors.
  public let sender: Sender<Action>

  /// Reads and observes the store's state.
  public let reader: StateReader<State>

  /// The store's clock.
  public let clock: any Clock<Duration>

  /// The wall time in milliseconds since 1970; that of the store's ``StoreConfiguration/wallTime``.
  public let wallTime: @Sendable () -> Int64

  init(
    sender: Sender<Action>, reader: StateReader<State>, clock: any Clock<Duration>,
    wallTime: @escaping @Sendable () -> Int64
  ) {
    self.sender = sender
    self.reader = reader
    self.clock = clock
    self.wallTime = wallTime
  }

  /// Sends an action to the store, as ``Sender/send(_:context:in:key:confirming:)``, with the same parameters.
  @discardableResult
  public func send(
    _ action: Action, context: TraceContext? = nil, in tree: RunTree? = nil, key: String? = nil,
    confirming: Bool = false
  ) -> Receipt {
    sender.send(action, context: context, in: tree, key: key, confirming: confirming)
  }

  /// Sends an action to the store as soon as it has room for one that waits, as ``Sender/submit(_:context:in:key:confirming:)``, with the
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
    try await sender.submit(action, context: context, in: tree, key: key, confirming: confirming)
  }

  /// The current state; cancellation has no effect on the read.
  public var state: State {
    get async { await reader.state }
  }

  /// The same access, as long as the gate is open.
  @usableFromInline
  func through(_ gate: EffectGate) -> StoreAccess {
    StoreAccess(
      sender: Sender(GatedTaking(target: sender.target, gate: gate)), reader: reader, clock: clock, wallTime: wallTime)
  }
}

extension Store {
  /// The access of a feedback or a thunk to this store; it does not hold the store.
  nonisolated var access: StoreAccess<I.State, I.Action> {
    StoreAccess(
      sender: Sender(CoreTaking(core: core)), reader: StateReader(CoreReading(core: core)),
      clock: core.configuration.clock, wallTime: core.configuration.wallTime)
  }

  /// Sends first actions, and begins the tasks of the feedbacks.
  @usableFromInline
  package nonisolated func begin(_ feedbacks: [Feedback<I.State, I.Action>]) {
    begin(feedbacks.flatMap(\.firstActions), feedbacks.compactMap { $0.makeWork?() }, didReturn: nil)
  }

  /// Sends first actions, and begins tasks.
  ///
  /// - Parameter didReturn: called when an effect has returned for which the state still asks; on any thread.
  nonisolated func begin(
    _ firstActions: [I.Action], _ works: [FeedbackWork<I.State, I.Action>], didReturn: (@Sendable () -> Void)?
  ) {
    let access = access
    // They come from outside of any run, even if a run makes the store.
    Ticket.current.withValue(nil) { _ = core.send(contentsOf: firstActions) }
    for work in works {
      core.spawn { _, hasReturned in
        Task.detached {
          await work.run(access, didReturn)
          hasReturned()
        }
      }
    }
  }

  /// A closure that is sent as if it were an action; see ``send(thunk:)``.
  public typealias Thunk = @Sendable (StoreAccess<I.State, I.Action>) async throws -> Void

  /// Runs a closure as if it were an action: it may send many, now and later, and reads the live state.
  ///
  /// ```swift
  /// store.send { access in
  ///   guard await access.state.isStale else { return }
  ///   access.send(.loading)
  ///   access.send(.loaded(try await gateway.items()))
  /// }
  /// ```
  ///
  /// **Order and isolation.** It runs in a task of its own, on the sender's thread up to its first suspension unless
  /// that is inside a commit, or in that part of another thunk. ``StoreConfiguration/handlersStart`` changes nothing for it. Each
  /// action that it sends passes the interceptors; it itself is no action, and does not. Sent by a handler, its actions have that
  /// run as their parent.
  ///
  /// **Cancellation.** The task is cancelled when the store is shut down, at the beginning of its drain, or released.
  ///
  /// **Errors.** An error that the closure throws is thrown by the task which this returns. Because no caller may look there,
  /// `StoreConfiguration.report` receives it too, unless it is a `CancellationError`.
  ///
  /// - Returns: the closure's task, to be awaited or cancelled.
  @discardableResult
  public nonisolated func send(
    thunk: @escaping Thunk
  ) -> Task<Void, any Error> {
    let (access, report) = (access, core.configuration.report)
    return core.spawn { isNested, hasReturned in
      let body: @Sendable () async throws -> Void = {
        defer { hasReturned() }
        do {
          try await thunk(access)
        } catch {
          if !(error is CancellationError) { report(Self.thunkFailure(error)) }
          throw error
        }
      }
      // Inside a step the thread may do others' work, and its task is none of the sender's.
      if core.lock.isHeldHere { return Task.detached { try await body() } }
      return isNested ? Task { try await body() } : Task.immediate { try await body() }
    }
  }

  private nonisolated static func thunkFailure(_ error: any Error) -> Incident {
    Incident(
      .thunkFailure, of: I.Action.self, error: error,
      "A thunk of \(String(reflecting: I.self)) threw: \(error). Catch the error in the thunk, and send an action that says "
        + "so, if the state is to show it.")
  }
}
