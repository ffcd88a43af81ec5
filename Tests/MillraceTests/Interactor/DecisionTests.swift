import Millrace
import Testing

@Suite("Decision")
struct DecisionTests {
  /// A decision, and what it is to say of itself.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let decision: Decision<Int>
    let mutations: [Int]
    let handles: Bool
    var isRejected = false
  }

  static let rows = [
    Row(testDescription: "handle", decision: .handle, mutations: [], handles: true),
    Row(testDescription: "ignore", decision: .ignore, mutations: [], handles: false),
    Row(testDescription: "mutate one", decision: .mutate(1), mutations: [1], handles: false),
    Row(testDescription: "one, then handle", decision: .mutate(1, thenHandle: true), mutations: [1], handles: true),
    Row(testDescription: "mutate several", decision: .mutate([1, 2]), mutations: [1, 2], handles: false),
    Row(testDescription: "mutate none", decision: .mutate([]), mutations: [], handles: false),
    Row(
      testDescription: "several, then handle", decision: .mutate([1, 2], thenHandle: true), mutations: [1, 2],
      handles: true),
    Row(testDescription: "reject", decision: .reject(Mishap()), mutations: [], handles: false, isRejected: true),
  ]

  @Test("A decision tells its mutations, whether it handles, and its rejection", arguments: rows)
  func aDecisionTells(row: Row) {
    #expect(row.decision.mutations == row.mutations)
    #expect(row.decision.handles == row.handles)
    #expect((row.decision.rejection as? Mishap == Mishap()) == row.isRejected)
    #expect((row.decision.rejection != nil) == row.isRejected)
  }

  @Test("A decision is followed: mutations first, then the handler if it asks for that", arguments: rows)
  func aDecisionIsFollowed(row: Row) async {
    let store = Store(initial: [], interactor: Follower(decision: row.decision))
    let outcome = await store.send(0).outcome
    #expect(outcome.kind == (row.isRejected ? .rejected : .finished))
    #expect(await store.state == row.mutations + (row.handles ? [100] : []))
    // The same behind another thread's step, where the action has a record from the start.
    let inner = Box<Receipt?>(nil)
    let follower = Follower(decision: row.decision)
    let again = Store(initial: [], interactor: follower)
    follower.inside.value = { inner.value = again.send(0) }
    again.send(1)
    follower.inside.value = {}
    #expect(await inner.value?.outcome.kind == outcome.kind)
    #expect(await again.state == [1] + row.mutations + (row.handles ? [100] : []))
  }
}

/// Decides one thing, whatever it is asked; but 1 does what is `inside`.
private struct Follower: Interactor {
  let decision: Decision<Int>
  let inside = Box<@Sendable () -> Void> {}

  func decide(_ action: Int, state: [Int]) -> Decision<Int> {
    guard action == 1 else { return decision }
    inside.value()
    return .mutate(1)
  }

  func handle(_ action: Int, state: [Int]) async -> Effect<Self> {
    .just(100)
  }

  static func reduce(into state: inout [Int], mutation: Int) {
    state.append(mutation)
  }
}
