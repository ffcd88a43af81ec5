import Synchronization

/// Feeds actions to a store as long as it lives: first actions, timers, signals, other stores, and effects that the state
/// asks for.
///
/// ```swift
/// let store = Store(
///   initial: Search.State(), interactor: Search(gateway: gateway),
///   feedbacks: [
///     .start(.restore),
///     .every(.seconds(30)) { .refresh },
///     .actions(from: account.values(of: \.user)) { .userChanged($0) },
///     .react(to: \.query) { query, access in
///       for await hit in index.hits(of: query) { access.send(.found(hit)) }
///     },
///   ])
/// ```
///
/// **Order.** First actions are sent in the order of the feedbacks, before the store's initialiser returns; the rest then
/// runs side by side. The actions come from outside of any run, and pass the interceptors.
///
/// **Isolation.** Each feedback runs in a task of its own.
///
/// **Cancellation.** When the store is shut down, at the beginning of its drain, or released, the tasks are cancelled; they
/// are not waited for.
///
/// **Lifetime.** A feedback does not hold the store, as long as its captures do not.
public struct Feedback<State: Sendable, Action: Sendable>: Sendable {
  let firstActions: [Action]

  /// Creates the work for one store; nil without any.
  let makeWork: (@Sendable () -> FeedbackWork<State, Action>)?

  @usableFromInline
  init(firstActions: [Action] = [], makeWork: (@Sendable () -> FeedbackWork<State, Action>)? = nil) {
    self.firstActions = firstActions
    self.makeWork = makeWork
  }

  /// Sends actions once, when the store begins.
  public static func start(_ actions: Action...) -> Feedback {
    Feedback(firstActions: actions)
  }

  /// Does anything, in a task that is cancelled with the store.
  public static func run(
    _ body: @escaping @Sendable (StoreAccess<State, Action>) async -> Void
  ) -> Feedback {
    Feedback { FeedbackWork(wake: nil) { access, _ in await body(access) } }
  }

  /// Sends an action for each element of a sequence: signals, a connection's messages, another store's values.
  ///
  /// **Backpressure.** Each is submitted, so that no element is asked for while the store has no room for the one before.
  ///
  /// - Parameters:
  ///   - sequence: a new iterator is made of it for each store.
  ///   - action: the action for an element; nil leaves it out.
  public static func actions<Source: AsyncSequence & Sendable>(
    from sequence: Source, _ action: @escaping @Sendable (Source.Element) -> Action?
  ) -> Feedback where Source.Failure == Never {
    .run { access in
      for await element in sequence {
        guard let action = action(element) else { continue }
        do { try await access.sender.submit(action) } catch { return }  // The store has ended, or this was cancelled.
      }
    }
  }

  /// Sends an action for each element of a sequence that may fail, and one for its failure.
  ///
  /// **Backpressure.** Each is submitted, so that no element is asked for while the store has no room for the one before.
  ///
  /// - Parameters:
  ///   - sequence: a new iterator is made of it for each store.
  ///   - action: the action for an element; nil leaves it out.
  ///   - failure: the action for the error that the sequence ended with; it is not called for a cancellation.
  public static func actions<Source: AsyncSequence & Sendable>(
    from sequence: Source, _ action: @escaping @Sendable (Source.Element) -> Action?,
    failure: @escaping @Sendable (any Error) -> Action
  ) -> Feedback {
    .run { access in
      do {
        for try await element in sequence {
          guard let action = action(element) else { continue }
          do { try await access.sender.submit(action) } catch { return }
        }
      } catch {
        if !Task.isCancelled { access.send(failure(error)) }
      }
    }
  }

  /// Sends an action at equal distances on the store's clock, the first after one interval; missed ones are left out.
  ///
  /// - Parameters:
  ///   - interval: below a nanosecond it is taken as that.
  ///   - action: made anew for each time.
  public static func every(_ interval: Duration, _ action: @escaping @Sendable () -> Action) -> Feedback {
    .run { access in
      func tick(_ clock: some Clock<Duration>) async throws {
        let interval = max(interval.bounded, .nanoseconds(1))
        var next = clock.now.advanced(by: interval)
        while true {
          try await clock.sleep(until: next, tolerance: nil)
          access.send(action())
          let late = next.duration(to: clock.now)
          let missed = late > .zero ? Int(min(late / interval, 1e15)) : 0  // More may not fit.
          next = next.advanced(by: interval * (missed + 1))
        }
      }
      try? await tick(access.clock)  // Ends by cancellation alone.
    }
  }

  // MARK: Effects that the state asks for

  /// Runs an effect while the state asks for it with one query: as long as the query is not nil, and is the same.
  ///
  /// The effect begins when the query appears, also in the state the store begins with, so that it is there again after a
  /// restore. When the query changes or becomes nil its task is cancelled, and nothing it sends later is accepted; the next
  /// one begins at once. An effect that returns is not run again for the same query. Queries that the state holds for a
  /// moment only may be skipped.
  ///
  /// - Parameters:
  ///   - query: quick and free of effects; a key path will do. It is called with the store's lock.
  ///   - effect: feeds actions to the store; it reads the live state from its argument.
  @inlinable
  public static func react<Query: Hashable & Sendable>(
    to query: @escaping @Sendable (State) -> Query?,
    effect: @escaping @Sendable (Query, StoreAccess<State, Action>) async -> Void
  ) -> Feedback {
    react(toEach: { query($0).map { [$0] } ?? [] }, effect: effect)
  }

  /// Runs an effect for each of the queries that the state asks for, as ``react(to:effect:)`` does for one.
  ///
  /// - Parameters:
  ///   - queries: quick and free of effects; a key path will do. It is called with the store's lock.
  ///   - effect: feeds actions to the store; it reads the live state from its argument.
  @inlinable
  public static func react<Query: Hashable & Sendable>(
    toEach queries: @escaping @Sendable (State) -> Set<Query>,
    effect: @escaping @Sendable (Query, StoreAccess<State, Action>) async -> Void
  ) -> Feedback {
    Feedback {
      let answered = AnsweredQueries<Query>()
      return FeedbackWork(wake: { answered.hasAll(of: queries($0)) ? nil : 0 }) { access, didReturn in
        let effects = ReactiveEffects<Query> { query, gate in
          await effect(query, access.through(gate))
          if let didReturn, answered.add(query, through: gate) { didReturn() }
        }
        for await wanted in access.reader.values(of: queries) {
          effects.run(wanted)
          answered.keep(wanted)
        }
        effects.run([])
      }
    }
  }
}

/// The work of a feedback for one store.
@usableFromInline
struct FeedbackWork<State: Sendable, Action: Sendable>: Sendable {
  /// The wall time in milliseconds at which a state needs the work, 0 if it does now; nil for work of which no state says that.
  ///
  /// It returns nil if the state does not need it, and is called with the store's lock.
  let wake: (@Sendable (State) -> Int64?)?

  /// Does the work; the closure is called when an effect has returned for which the state still asks.
  let run: @Sendable (StoreAccess<State, Action>, _ didReturn: (@Sendable () -> Void)?) async -> Void

  @usableFromInline
  init(
    wake: (@Sendable (State) -> Int64?)?,
    run: @escaping @Sendable (StoreAccess<State, Action>, _ didReturn: (@Sendable () -> Void)?) async -> Void
  ) {
    self.wake = wake
    self.run = run
  }
}

/// The effects that run for what a state asks for.
///
/// **Order.** Those that are not asked for any more are cancelled in the order in which they began, then the new ones begin. A
/// set has another order at each address, so these begin in the order of their hashes, which is the same in a process.
///
/// **Cost.** After a change it looks at each effect. It is compiled by the client's module, where the type of the queries is known:
/// hashing and comparing through the type's witnesses took most of the time of many timers.
@usableFromInline
final class ReactiveEffects<Query: Hashable & Sendable> {
  @usableFromInline let effect: @Sendable (Query, EffectGate) async -> Void
  @usableFromInline var running: [Query: Running] = [:]
  @usableFromInline var lastNumber = 0

  @usableFromInline
  struct Running {
    @usableFromInline let number: Int
    @usableFromInline let gate: EffectGate
    @usableFromInline let task: Task<Void, Never>

    @inlinable
    init(number: Int, gate: EffectGate, task: Task<Void, Never>) {
      self.number = number
      self.gate = gate
      self.task = task
    }
  }

  @inlinable
  init(_ effect: @escaping @Sendable (Query, EffectGate) async -> Void) {
    self.effect = effect
  }

  /// Starts the effects of new queries, and cancels the effects of queries that are missing.
  @inlinable
  func run(_ wanted: Set<Query>) {
    let unwanted = running.keys.filter { !wanted.contains($0) }.compactMap { running.removeValue(forKey: $0) }
    for effect in unwanted.sorted(by: { $0.number < $1.number }) {
      effect.gate.close()
      effect.task.cancel()
    }
    // Otherwise the effects of all wanted queries run.
    guard running.count < wanted.count else { return }
    let new = wanted.lazy.filter { self.running.index(forKey: $0) == nil }.map { (hash: $0.hashValue, query: $0) }
    for (_, query) in new.sorted(by: { $0.hash < $1.hash }) {
      let gate = EffectGate()
      lastNumber += 1
      running[query] = Running(
        number: lastNumber, gate: gate, task: Task { [effect] in await effect(query, gate) })
    }
  }
}

/// The queries of a state whose effects have returned, so that nothing runs for them.
@usableFromInline
final class AnsweredQueries<Query: Hashable & Sendable>: Sendable {
  private let queries = Mutex<Set<Query>>([])

  @usableFromInline
  init() {}

  /// Notes that the effect of a query has returned; false if the state does not ask for it any more.
  @usableFromInline
  func add(_ query: Query, through gate: EffectGate) -> Bool {
    queries.withLock { queries in
      guard gate.isOpen else { return false }
      queries.insert(query)
      return true
    }
  }

  /// Forgets the queries for which the state does not ask any more, whose gates are closed.
  @usableFromInline
  func keep(_ wanted: Set<Query>) {
    queries.withLock { if !$0.isSubset(of: wanted) { $0.formIntersection(wanted) } }
  }

  @usableFromInline
  func hasAll(of wanted: Set<Query>) -> Bool {
    wanted.isEmpty || queries.withLock { wanted.isSubset(of: $0) }
  }
}

/// Whether an effect may still send, and the submits of it that wait.
@usableFromInline
final class EffectGate: Sendable {
  private let submits = StoreTasks()

  @usableFromInline
  init() {}

  var isOpen: Bool { submits.isOpen }

  /// Closes the gate for good, and cancels the submits that wait.
  @usableFromInline
  func close() { submits.end() }

  /// Submits, unless the gate is closed before the action is accepted.
  func submit(_ submit: @escaping @Sendable () async throws -> Receipt) async throws -> Receipt {
    guard isOpen else { throw CancellationError() }
    let number = submits.nextNumber()
    let task = Task.immediate {
      defer { submits.hasReturned(number) }
      return try await submit()
    }
    submits.hasBegun(number) { task.cancel() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

/// Sends what comes while the gate is open; what comes later is never accepted.
struct GatedTaking<Action: Sendable>: ActionTaking {
  let target: any ActionTaking<Action>
  let gate: EffectGate

  func send(_ action: Action, _ terms: SendTerms) -> Receipt {
    gate.isOpen ? target.send(action, terms) : .unsent
  }

  func send(contentsOf actions: some Sequence<Action>) -> BatchReceipt {
    if gate.isOpen { return target.send(contentsOf: actions) }
    var batch = BatchReceipt()
    for _ in actions { batch.add(.unsent) }
    return batch
  }

  func submit(_ action: Action, _ terms: SendTerms) async throws -> Receipt {
    try await gate.submit { try await target.submit(action, terms) }
  }
}
