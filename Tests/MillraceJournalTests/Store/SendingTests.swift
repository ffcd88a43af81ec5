import Millrace
import MillraceJournal
import MillraceTesting
import Testing

/// The table of docs/runs.md, "Ways to send": each way with each parameter.
@Suite("Ways to send", .timeLimit(.minutes(1)))
struct SendingTests {
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case send, submit, request, requestWaitingForRoom, senderSend, senderSubmit, accessSend, accessSubmit,
      observedRequest, observedRequestWaitingForRoom

    var testDescription: String { rawValue }
  }

  private let clock = TestClock()
  private let gate = Gate()
  private let traces = Recorder<TraceContext?>()
  private let journal: MemoryJournal
  private let store: Store<Deliveries>

  init() async throws {
    journal = MemoryJournal()
    store = try await Store.open(
      initial: Deliveries.State(),
      interactor: Deliveries { [gate, traces] in
        traces.record(RunContext.current?.trace)
        try await gate.enter()
      }, journal: journal, key: "deliveries",
      configuration: StoreConfiguration(clock: clock))
  }

  /// Sends an action in one of the ways, and returns the outcome, and the answer if the way has one.
  private func outcome(
    _ way: Way, _ action: Deliveries.Action, context: TraceContext? = nil, in tree: RunTree? = nil,
    key: String? = nil, confirming: Bool = false
  ) async throws -> (Outcome, answer: Int?) {
    let accesses = Recorder<StoreAccess<Deliveries.State, Deliveries.Action>>()
    store.send(thunk: { accesses.record($0) })
    let access = try await accesses.next()
    do {
      switch way {
      case .send:
        return await (store.send(action, context: context, in: tree, key: key, confirming: confirming).outcome, nil)
      case .submit:
        let receipt = try await store.submit(action, context: context, in: tree, key: key, confirming: confirming)
        return await (receipt.outcome, nil)
      case .request:
        let answer = try await store.request(
          action, context: context, in: tree, key: key, confirming: confirming, returning: { $0.delivered })
        return (.finished, answer)
      case .requestWaitingForRoom:
        let answer = try await store.request(
          action, context: context, in: tree, key: key, confirming: confirming, waitingForRoom: true,
          returning: { $0.delivered })
        return (.finished, answer)
      case .senderSend:
        let sender = store.sender.scope { (action: Deliveries.Action) in action }
        return await (sender.send(action, context: context, in: tree, key: key, confirming: confirming).outcome, nil)
      case .senderSubmit:
        let sender = store.sender.scope { (action: Deliveries.Action) in action }
        let receipt = try await sender.submit(action, context: context, in: tree, key: key, confirming: confirming)
        return await (receipt.outcome, nil)
      case .accessSend:
        return await (access.send(action, context: context, in: tree, key: key, confirming: confirming).outcome, nil)
      case .accessSubmit:
        let receipt = try await access.submit(action, context: context, in: tree, key: key, confirming: confirming)
        return await (receipt.outcome, nil)
      case .observedRequest:
        return try await observed(action, context: context, in: tree, key: key, confirming: confirming)
      case .observedRequestWaitingForRoom:
        return try await observed(
          action, context: context, in: tree, key: key, confirming: confirming, waitingForRoom: true)
      }
    } catch let error as StoreError {
      return (try #require(error.outcome), nil)
    }
  }

  @MainActor
  private func observed(
    _ action: Deliveries.Action, context: TraceContext?, in tree: RunTree?, key: String?, confirming: Bool,
    waitingForRoom: Bool = false
  ) async throws -> (Outcome, answer: Int?) {
    let observed = ObservedStore(store)
    let answer = try await observed.request(
      action, context: context, in: tree, key: key, confirming: confirming, waitingForRoom: waitingForRoom,
      returning: { $0.delivered })
    #expect(observed.state.delivered >= answer, "it shows the state that was answered from")
    return (.finished, answer)
  }

  @Test(
    "An action with a key is done once, and the answer of a repetition is read from the state then",
    arguments: Way.allCases)
  func key(_ way: Way) async throws {
    gate.open()
    let first = try await outcome(way, .deliver(3), key: "a")
    store.send(.deliver(4))
    _ = await store.send(.deliver(5)).outcome
    _ = try await store.wait(until: { $0.delivered == 12 })
    let second = try await outcome(way, .deliver(3), key: "a")
    #expect(first.0.kind == .finished && second.0.kind == .finished)
    if let answer = first.answer { #expect(answer == 3 && second.answer == 12) }
    #expect(await store.state.delivered == 12, "it is not done again")
  }

  @Test("D4: an action that commits nothing is confirmed by a mark", arguments: Way.allCases)
  func confirming(_ way: Way) async throws {
    let before = try await journal.lastSequence(of: "deliveries")
    #expect(try await outcome(way, .look).0.kind == .finished)
    #expect(try await journal.lastSequence(of: "deliveries") == before)
    #expect(try await outcome(way, .look, confirming: true).0.kind == .finished)
    #expect(try await journal.lastSequence(of: "deliveries").number == before.number + 1)
  }

  @Test("The trace travels with an action", arguments: Way.allCases)
  func context(_ way: Way) async throws {
    gate.open()
    let trace = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    #expect(try await outcome(way, .deliver(1), context: trace, key: "a").0.kind == .finished)
    #expect(try await traces.next() == trace)
  }

  @Test("A tree cancels an action that was sent in it, which frees its key", arguments: Way.allCases)
  func tree(_ way: Way) async throws {
    let tree = RunTree()
    async let ended = outcome(way, .deliver(1), in: tree, key: "a")
    try await gate.waitForArrivals(1)
    tree.cancel()
    #expect(try await ended.0.kind == .cancelled)
    await tree.waitForEnd()
    gate.open()
    #expect(try await outcome(way, .deliver(1), key: "a").0.kind == .finished)
  }

  @Test("The timeout of the plan ends an action with a key, and those that wait for it", arguments: Way.allCases)
  func deadline(_ way: Way) async throws {
    async let ended = outcome(way, .deliver(1), key: "a", confirming: true)
    try await gate.waitForArrivals(1)
    let follower = store.send(.deliver(1), key: "a")
    clock.advance(by: .seconds(5))
    #expect(try await ended.0.kind == .timedOut)
    #expect(await follower.outcome.kind == .timedOut)
  }

  @Test("A store without a journal rejects a key and a confirmation, and says the fix", arguments: Way.allCases)
  func withoutJournal(_ way: Way) async throws {
    let suite = SendingTests(store: Store(initial: Deliveries.State(), interactor: Deliveries {}))
    for (key, confirms) in [("a", false), (nil, true)] as [(String?, Bool)] {
      let ended = try await suite.outcome(way, .look, key: key, confirming: confirms).0
      #expect(
        ended.description
          == "rejected: The journal did not take the action: The store has no journal, so it neither remembers idempotency keys nor "
          + "confirms decisions; open it with `Store.open`.")
    }
  }

  private init(store: Store<Deliveries>) {
    journal = MemoryJournal()
    self.store = store
  }

  @Test("A run that requests the open action of its own key is refused, because it would wait for itself")
  func itself() async throws {
    let (stores, outcomes) = (Recorder<Store<Deliveries>>(), Recorder<Outcome?>())
    let opened = try await Store.open(
      initial: Deliveries.State(),
      interactor: Deliveries {
        do {
          _ = try await stores.next().request(.deliver(1), key: "a", returning: { $0.delivered })
          outcomes.record(nil)
        } catch let error as StoreError {
          outcomes.record(error.outcome)
        }
      }, journal: MemoryJournal(), key: "deliveries")
    stores.record(opened)
    #expect(await opened.send(.deliver(1), key: "a").outcome.kind == .finished)
    guard case .rejected(.notSent(let reason)) = try await outcomes.next() else {
      Issue.record("It was not refused.")
      return
    }
    #expect(
      reason
        == "A run that waits for the open action of a key may wait for itself; use another key, or `send` the action and do not "
        + "wait for it.")
  }
}

/// Deliveries, each of which is handled within five seconds.
private struct Deliveries: Interactor {
  enum Action: Sendable, Codable {
    case deliver(Int)
    case look
  }

  enum Mutation: Sendable, Codable {
    case delivered(Int)
  }

  struct State: Sendable, Codable {
    var delivered = 0
  }

  let delivering: @Sendable () async throws -> Void

  func plan(for action: Action, state: State) -> Plan { .concurrent.timeout(.seconds(5)) }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .deliver: .handle
    case .look: .ignore
    }
  }

  func handle(_ action: Action, state: State) -> Effect<Self> {
    Effect { run in
      guard case .deliver(let count) = action else { return }
      try await delivering()
      run.emit(.delivered(count))
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .delivered(let count): state.delivered += count
    }
  }
}
