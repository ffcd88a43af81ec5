import MillraceTesting
import Testing

@testable import Millrace

@Suite("The transitions of a store", .timeLimit(.minutes(1)))
struct TransitionsTests {
  let store: Store<Ticks>

  init() {
    let child = Box<(@Sendable (Int) -> Void)?>(nil)
    let store = Store(initial: Ticks.State(), interactor: Ticks(child: child))
    child.value = { [weak store] in store?.send(.add($0)) }
    self.store = store
  }

  @Test("O5, O7: a transition has the mutation, the revision, the state after and the action that brought it about")
  func parts() async throws {
    store.send(.add(1))
    var iterator = store.transitions().makeAsyncIterator()
    let receipt = store.send(.add(5))
    let transition = try #require(await iterator.next())
    #expect(transition.mutation == .added(5))
    #expect(transition.revision == 2)
    #expect(transition.missed == 0)
    #expect(transition.state == Ticks.State(sum: 6))
    #expect(transition.before == nil)
    #expect(transition.cause.action == .add(5))
    #expect(transition.cause.id == receipt.id)
    #expect(transition.cause.context.parent == nil)
    #expect(transition.cause.context.root == transition.cause.context.run)
  }

  @Test("The state before is there when it was asked for")
  func before() async throws {
    var iterator = store.transitions(.every(), includesBefore: true).makeAsyncIterator()
    store.send(.add(1))
    store.send(.add(2))
    #expect(await iterator.next()?.before == Ticks.State(sum: 0))
    let second = try #require(await iterator.next())
    #expect(second.before == Ticks.State(sum: 1))
    #expect(second.state == Ticks.State(sum: 3))
  }

  @Test("O3: an observer further behind than its buffer continues with the newest transition, without a state before")
  func gap() async throws {
    var iterator = store.transitions(.every(buffer: 2), includesBefore: true).makeAsyncIterator()
    for number in 1...4 { store.send(.add(number)) }
    let transition = try #require(await iterator.next())
    #expect(transition.mutation == .added(4))
    #expect(transition.revision == 4)
    #expect(transition.missed == 3)
    #expect(transition.before == nil)
    #expect(transition.cause.action == .add(4))
    #expect(transition.state == Ticks.State(sum: 10))
    store.send(.add(1))
    let next = try #require(await iterator.next())
    #expect(next.missed == 0)
    #expect(next.before == Ticks.State(sum: 10))
  }

  @Test("The latest transition is delivered, whatever came between")
  func latest() async throws {
    var iterator = store.transitions(.latest).makeAsyncIterator()
    for number in 1...9 { store.send(.add(number)) }
    #expect(await iterator.next()?.mutation == .added(9))
    store.send(.add(3))
    #expect(await iterator.next()?.mutation == .added(3))
  }

  @Test("R7: an action that a handler sends has that run as its parent, and all commits of one run have one cause")
  func causes() async throws {
    var iterator = store.transitions().makeAsyncIterator()
    let receipt = store.send(.spread([3, 4]), context: TraceContext(traceparent: "t"))
    var transitions: [Transition<Ticks>] = []
    for _ in 1...4 { transitions.append(try #require(await iterator.next())) }
    let own = transitions.filter { $0.cause.id == receipt.id }
    #expect(own.map(\.mutation) == [.began, .ended])
    let children = transitions.filter { $0.cause.id != receipt.id }
    #expect(children.map(\.mutation) == [.added(3), .added(4)])
    for child in children {
      #expect(child.cause.context.parent == own.first?.cause.context.run)
      #expect(child.cause.context.root == own.first?.cause.context.run)
      #expect(child.cause.context.trace?.traceparent == "t")
    }
  }

  @Test("A closing mutation has the cause of its run")
  func closing() async throws {
    var iterator = store.transitions().makeAsyncIterator()
    let receipt = store.send(.refuse)
    let transition = try #require(await iterator.next())
    #expect(transition.mutation == .closed)
    #expect(transition.cause.id == receipt.id)
  }

  @Test("When the last observer of transitions has left, actions go the short way again")
  func pruned() async throws {
    var iterator: StoreSequence<Transition<Ticks>, Never>.Iterator? = store.transitions().makeAsyncIterator()
    store.send(.add(1))
    #expect(await iterator?.next()?.revision == 1)
    #expect(store.look { $0.isFastPath } == false)
    iterator = nil
    #expect(store.look { $0.isFastPath } == true)
    #expect(store.look { $0.registry?.cause == nil } == true)
  }

  @Test("A batch, and what is sent while another thread has the turn, have their causes too")
  func everyWay() async throws {
    var iterator = store.transitions().makeAsyncIterator()
    _ = await store.send(contentsOf: [.add(1), .add(2)]).outcomes
    _ = try await store.submit(.add(3))
    for number in 1...3 { #expect(await iterator.next()?.cause.action == .add(number)) }
    await store.shutdown()
    #expect(await iterator.next() == nil)
  }
}

/// Adds up numbers.
struct Ticks: Interactor {
  /// Sends an action from a handler.
  let child: Box<(@Sendable (Int) -> Void)?>

  struct State: Sendable, Equatable {
    var sum = 0
  }

  enum Action: Sendable, Equatable {
    case add(Int)
    case spread([Int])
    case refuse
  }

  enum Mutation: Sendable, Equatable {
    case began, ended, closed
    case added(Int)
  }

  struct Refused: Error {}

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .add(let number): .mutate(.added(number))
    case .spread: .mutate(.began, thenHandle: true)
    case .refuse: .reject(Refused())
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Ticks> {
    guard case .spread(let numbers) = action else { return .none }
    return Effect { run in
      for number in numbers { child.value?(number) }
      run.emit(.ended)
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? { .closed }

  static func reduce(into state: inout State, mutation: Mutation) {
    if case .added(let number) = mutation { state.sum += number }
  }
}
