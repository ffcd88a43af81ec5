import MillraceTesting
import Testing

@testable import Millrace

@Suite("Closings of children", .timeLimit(.minutes(1)))
struct ChildClosingTests {
  @Test(
    "R2: the closing of a run whose child was replaced in one step is not that of the next child; otherwise it changes nothing",
    arguments: TownPlace.allCases)
  func closing(_ place: TownPlace) async throws {
    let store = Store.town(nil, slots: 4_096, clock: TestClock())
    let (first, second) = (Probe("first"), Probe("second"))
    let one = store.send(place.action(first.action(.concurrent)))
    try await first.waitForStart()
    store.send(place.replace)
    #expect(await one.outcome.kind == .cancelled)
    #expect(await place.state(in: store.state)?.log == [])
    let two = store.send(place.action(second.action(.concurrent)))
    try await second.waitForStart()
    two.cancel()
    #expect(await two.outcome.kind == .cancelled)
    #expect(await place.state(in: store.state)?.log == ["second begins", "second: cancelled"])
    first.open()
    second.open()
  }

  @Test("R2: a parent closes an action whose child was replaced with a mutation of its own")
  func ownClosing() async throws {
    let store = Store(initial: Inns.State(), interactor: Inns())
    let receipt = store.send(.wait)
    #expect(await store.bound.runs == 1)
    store.send(.replace)
    #expect(await receipt.outcome.kind == .cancelled)
    #expect(await store.state == Inns.State(inn: [], closed: 1))
  }

  @Test(
    "R2: an action of a child's child closes nothing in the next child in the place of either",
    arguments: [[String](), nil])
  func replacedParent(_ next: [String]?) async throws {
    let store = Store(initial: Street.State(inns: Inns.State()), interactor: Street())
    let receipt = store.send(.inns(.wait))
    #expect(await store.bound.runs == 1)
    store.send(.replace(Inns.State(inn: next)))
    #expect(await receipt.outcome.kind == .cancelled)
    #expect(await store.state.inns == Inns.State(inn: next))
  }
}

/// Inns that may be replaced by others.
private struct Street: Interactor {
  struct State: Sendable {
    var inns: Inns.State?
  }

  enum Action: Sendable {
    case inns(Inns.Action)
    case replace(Inns.State)
  }

  enum Mutation: Sendable {
    case inns(Inns.Mutation)
    case set(Inns.State?)
  }

  enum Place: OptionalScope {
    typealias Parent = Street
    typealias Child = Inns

    static func state(of parent: State) -> Inns.State? { parent.inns }
    static func mutation(_ mutation: Inns.Mutation) -> Mutation { .inns(mutation) }
    static func update(_ parent: inout State, _ body: (inout Inns.State) -> Void) {
      if parent.inns != nil { body(&parent.inns!) }
    }
  }

  let inns = Scoped<Place>(Inns())

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .inns(let action): inns.decide(action, state: state)
    case .replace(let next): .mutate([.set(nil), .set(next)])
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    guard case .inns(let action) = action else { return .none }
    return await inns.handle(action, state: state)
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    guard case .inns(let action) = action else { return nil }
    return inns.closing(action, outcome: outcome)
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .inns(let mutation): Place.reduce(into: &state, mutation: mutation)
    case .set(let inns): state.inns = inns
    }
  }
}

/// An inn that its parent closes the actions of, beside what the inn itself does.
private struct Inns: Interactor {
  struct State: Sendable, Equatable {
    var inn: [String]? = []
    var closed = 0
  }

  enum Action: Sendable {
    case wait
    case replace
  }

  enum Mutation: Sendable {
    case inn(String)
    case remove
    case add
    case closed
  }

  struct Inn: Interactor {
    func handle(_ action: String, state: [String]) async -> Effect<Self> {
      Effect { _ in try await Gate().enter() }
    }

    func closing(_ action: String, outcome: Outcome) -> String? { "closed" }
    static func reduce(into state: inout [String], mutation: String) { state.append(mutation) }
  }

  enum Place: OptionalScope {
    typealias Parent = Inns
    typealias Child = Inn

    static func state(of parent: State) -> [String]? { parent.inn }
    static func mutation(_ mutation: String) -> Mutation { .inn(mutation) }
    static func update(_ parent: inout State, _ body: (inout [String]) -> Void) {
      if parent.inn != nil { body(&parent.inn!) }
    }
  }

  let inn = Scoped<Place>(Inn())

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .wait: inn.decide("wait", state: state)
    case .replace: .mutate([.remove, .add])
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> { await inn.handle("wait", state: state) }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    inn.closing("wait", outcome: outcome) ?? .closed
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .inn(let mutation): Place.reduce(into: &state, mutation: mutation)
    case .remove: state.inn = nil
    case .add: state.inn = []
    case .closed: state.closed += 1
    }
  }
}
