import MillraceTesting
import Testing

@testable import Millrace

/// Whether a commit copies the state because of a handler, told by a state that counts its copies.
@Suite("The state of a handler", .timeLimit(.minutes(1)))
struct HandlerStateTests {
  private let gate = Gate()

  /// The number of copies that ten commits make, and the end of a run, while its handler stands at the gate.
  private func copies<I: Interactor>(
    _ store: Store<I>, _ plan: Plan = .concurrent, wrap: (Copying.Action) -> I.Action,
    part: @Sendable (I.State) -> CountedCopies
  ) async throws -> Int {
    store.send(wrap(.add(0)))
    let receipt = store.send(wrap(.wait(gate, plan)))
    try await gate.waitForArrivals()
    for number in 1...10 { store.send(wrap(.add(number))) }
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
    let list = part(await store.state)
    #expect(list.count == 12)
    return list.copies
  }

  static let plans: [Plan] = [
    .concurrent, .serial(key: "k"), .shared(key: "k"), .concurrent.retry(2), .latest(key: "k").timeout(.seconds(60)),
  ]

  @Test("O7: once handle has returned its effect nothing keeps its state, and commits copy nothing", arguments: plans)
  func effect(plan: Plan) async throws {
    let store = Store(initial: CountedCopies(), interactor: Copying())
    #expect(try await copies(store, plan, wrap: { $0 }, part: { $0 }) == 0)
  }

  @Test("O7: nothing keeps the state of a child's handler, wherever the child stands", arguments: plans)
  func child(plan: Plan) async throws {
    for place in CopyingParent.Place.allCases {
      let store = Store(initial: CopyingParent.State(), interactor: CopyingParent())
      let tests = HandlerStateTests()
      let copies = try await tests.copies(store, plan) {
        CopyingParent.Action(place: place, action: $0)
      } part: {
        $0[place] ?? CountedCopies()
      }
      #expect(copies == 0, "\(place)")
    }
  }

  @Test("O7: nothing keeps the state of a combined handler, nor of one that returns a stream")
  func others() async throws {
    let combined = Store(initial: CountedCopies(), interactor: Combined(Copying(), Passing()))
    #expect(try await copies(combined, wrap: { $0 }, part: { $0 }) == 0)
    let streaming = Store(initial: CountedCopies(), interactor: Streaming())
    #expect(try await HandlerStateTests().copies(streaming, wrap: { $0 }, part: { $0 }) == 0)
  }

  @Test("O7: handlers whose starts wait, because the handler that sent their actions has not suspended, keep no state")
  func waitingStarts() async {
    let store = Store(initial: CountedCopies(), interactor: Copying())
    let receipts = Box<[Receipt]>([])
    let receipt = store.send(
      .call {
        let sent = (1...10).map { store.send(.begin($0)) }
        receipts.update { $0 = sent }
      })
    #expect(await receipt.outcome.kind == .finished)
    for receipt in receipts.value { #expect(await receipt.outcome.kind == .finished) }
    #expect(await store.state.count == 10)
    #expect(await store.state.copies == 0)
  }

  @Test("O7: a handler whose effect keeps the state it was given makes one copy")
  func keeping() async throws {
    let store = Store(initial: CountedCopies(), interactor: Copying(keepsState: true))
    #expect(try await copies(store, wrap: { $0 }, part: { $0 }) == 1)
  }
}

/// Adds to a list, or waits at a gate and then adds.
private struct Copying: Interactor {
  enum Action: Sendable {
    case add(Int)
    case wait(Gate, Plan)
    /// Adds, and has a handler that does nothing.
    case begin(Int)
    case call(@Sendable () -> Void)
  }

  var keepsState = false

  func plan(for action: Action, state: CountedCopies) -> Plan {
    if case .wait(_, let plan) = action, state.count > 0 { plan } else { .concurrent }
  }

  func decide(_ action: Action, state: CountedCopies) -> Decision<Int> {
    switch action {
    case .add(let number): .mutate(number)
    case .begin(let number): .mutate(number, thenHandle: true)
    case .wait, .call: .handle
    }
  }

  func handle(_ action: Action, state: CountedCopies) async -> Effect<Self> {
    if case .call(let call) = action { return Effect { _ in call() } }
    guard case .wait(let gate, _) = action else { return .none }
    let kept = keepsState ? state : nil
    return Effect { run in
      _ = try await run.state.count
      try await gate.enter()
      run.emit(kept?.count ?? 0)
    }
  }

  static func reduce(into state: inout CountedCopies, mutation: Int) {
    state.append(mutation)
  }
}

/// The same with a stream.
private struct Streaming: Interactor {
  func decide(_ action: Copying.Action, state: CountedCopies) -> Decision<Int> {
    Copying().decide(action, state: state)
  }

  func handle(_ action: Copying.Action, state: CountedCopies) async -> AsyncStream<Int> {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    if case .wait(let gate, _) = action {
      Task {
        try? await gate.enter()
        continuation.yield(0)
        continuation.finish()
      }
    }
    return stream
  }

  static func reduce(into state: inout CountedCopies, mutation: Int) {
    state.append(mutation)
  }
}

/// Changes nothing.
private struct Passing: Interactor {
  func decide(_ action: Copying.Action, state: CountedCopies) -> Decision<Int> { .ignore }
  func handle(_ action: Copying.Action, state: CountedCopies) async -> Effect<Self> { .none }
  static func reduce(into state: inout CountedCopies, mutation: Int) {}
}

/// A parent with such a child in a scope of each kind.
private struct CopyingParent: Interactor {
  enum Place: CaseIterable {
    case scoped, keyPath, optional, each
  }

  struct State: Sendable {
    var scoped = CountedCopies()
    var keyPath = CountedCopies()
    var optional: CountedCopies? = CountedCopies()
    var each = [1: CountedCopies()]

    subscript(place: Place) -> CountedCopies? {
      switch place {
      case .scoped: scoped
      case .keyPath: keyPath
      case .optional: optional
      case .each: each[1]
      }
    }
  }

  struct Action: Sendable {
    var place: Place
    var action: Copying.Action
  }

  struct Mutation: Sendable {
    var place: Place
    var number: Int
  }

  let scoped = Scoped<ChildScope>(Copying())
  let keyPath = KeyPathScoped<CopyingParent, Copying>(Copying(), state: \.keyPath) {
    Mutation(place: .keyPath, number: $0)
  }
  let optional = Scoped<OptionalChildScope>(Copying())
  let each = Scoped<EachChildScope>(Copying())

  func plan(for action: Action, state: State) -> Plan {
    switch action.place {
    case .scoped: scoped.plan(for: action.action, state: state)
    case .keyPath: keyPath.plan(for: action.action, state: state)
    case .optional: optional.plan(for: action.action, state: state)
    case .each: each.plan(for: action.action, of: 1, state: state)
    }
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action.place {
    case .scoped: scoped.decide(action.action, state: state)
    case .keyPath: keyPath.decide(action.action, state: state)
    case .optional: optional.decide(action.action, state: state)
    case .each: each.decide(action.action, of: 1, state: state)
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<CopyingParent> {
    switch action.place {
    case .scoped: await scoped.handle(action.action, state: state)
    case .keyPath: await keyPath.handle(action.action, state: state)
    case .optional: await optional.handle(action.action, state: state)
    case .each: await each.handle(action.action, of: 1, state: state)
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation.place {
    case .scoped: state.scoped.append(mutation.number)
    case .keyPath: state.keyPath.append(mutation.number)
    case .optional: state.optional?.append(mutation.number)
    case .each: state.each[1]?.append(mutation.number)
    }
  }
}

private enum ChildScope: Scope {
  typealias Parent = CopyingParent
  typealias Child = Copying

  static func state(of parent: CopyingParent.State) -> CountedCopies { parent.scoped }
  static func mutation(_ mutation: Int) -> CopyingParent.Mutation { .init(place: .scoped, number: mutation) }
}

private enum OptionalChildScope: OptionalScope {
  typealias Parent = CopyingParent
  typealias Child = Copying

  static func state(of parent: CopyingParent.State) -> CountedCopies? { parent.optional }
  static func mutation(_ mutation: Int) -> CopyingParent.Mutation { .init(place: .optional, number: mutation) }
  static func update(_ parent: inout CopyingParent.State, _ body: (inout CountedCopies) -> Void) {
    if parent.optional != nil { body(&parent.optional!) }
  }
}

private enum EachChildScope: EachScope {
  typealias Parent = CopyingParent
  typealias Child = Copying

  static func state(of id: Int, in parent: CopyingParent.State) -> CountedCopies? { parent.each[id] }
  static func mutation(_ mutation: Int, of id: Int) -> CopyingParent.Mutation { .init(place: .each, number: mutation) }
  static func update(_ id: Int, in parent: inout CopyingParent.State, _ body: (inout CountedCopies) -> Void) {
    if parent.each[id] != nil { body(&parent.each[id]!) }
  }
}
