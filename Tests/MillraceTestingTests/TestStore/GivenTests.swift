import Millrace
import Testing

@testable import MillraceTesting

@Suite("Given")
struct GivenTests {
  let collected = Collected()

  /// The messages of what is asserted in `body`, each behind its line.
  private func messages(_ body: (Given<Records>) -> Void) -> [String] {
    collected.failures.collect {
      body(Given(Records.State(), Records()))
    }
    return collected.messages
  }

  @Test("Decisions, mutations and closings are asserted one after the other, each with the state before it")
  func chain() {
    let after = Given(Records.State(), Records())
      .when(.reload).then(.mutate(.loading, thenHandle: true)) { $0.isLoading = true }
      .when(mutation: .loaded(["a"])).then { ($0.isLoading, $0.records) = (false, ["a"]) }
      .when(.clear).then(.mutate([.renamed(""), .cleared])) { $0.records = [] }
      .when(.note).then(.mutate(.noted))
      .when(.refresh).then(.handle)
      .when(.deny).then(.reject(Records.Denied())) { $0.failure = "rejected" }
      .when(.reload, endsAs: .timedOut).then(.failure("timedOut")) { $0.failure = "timedOut" }
    #expect(after.state == Records.State(failure: "timedOut"))
  }

  @Test("R2: A rejection changes what its closing does, in the same step as in a store")
  func rejection() async {
    let initial = Records.State(isLoading: true)
    let given = Given(initial, Records())
      .when(.deny).then(.reject(Records.Denied())) { ($0.isLoading, $0.failure) = (false, "rejected") }
    let store = Store(initial: initial, interactor: Records())
    #expect(await store.send(.deny).outcome.kind == .rejected)
    #expect(await store.state == given.state)
    let messages = messages { given in given.when(.deny).then(.reject(Records.Denied()), line: 1) }
    #expect(
      messages == [
        """
        1: deny changed the state, and the test does not say so:
          failure: nil → "rejected"
        Give then a closure that makes this change.
        """
      ])
  }

  @Test("R2: an action for a missing child is not closed, as in a store")
  func missingChild() async {
    let given = Given(Cabinet.State(), Cabinet())
      .when(.reload).then(Cabinet().decide(.reload, state: Cabinet.State()))
    #expect(given.state == Cabinet.State())
    let store = Store(initial: Cabinet.State(), interactor: Cabinet())
    #expect(await store.send(.reload).outcome.kind == .rejected)
    #expect(await store.state == given.state)
  }

  @Test("Another decision is shown by its differences, and the state continues from the actual decision")
  func otherDecision() {
    let messages = messages { given in
      let next = given.when(.reload).then(.mutate(.loaded([])), line: 1) { $0.isLoading = true }
      #expect(next.state.isLoading)
      given.when(.deny).then(.reject(Records.Denied(reason: "late")), line: 2)
      given.when(.refresh).then(.ignore, line: 3)
    }
    let fix =
      "Expected is left of an arrow, the interactor's right. Change the decision in then, or what decide returns."
    #expect(
      messages == [
        "1: reload is decided otherwise than the test expects:\n  mutations[0]: loaded([]) → loading\n  "
          + "thenHandle: false → true\n\(fix)",
        "2: deny is decided otherwise than the test expects:\n  error.reason: \"late\" → \"not yours\"\n\(fix)",
        "3: refresh is decided otherwise than the test expects:\n  thenHandle: false → true\n\(fix)",
      ])
  }

  @Test("A change is shown as in a test store")
  func otherChange() {
    let messages = messages { given in
      given.when(.rename("x")).then(.mutate(.renamed("x")), line: 1)
      given.when(mutation: .renamed("x")).then(line: 2) { $0.name = "y" }
      given.when(mutation: .noted).then(line: 3) { $0.name = "y" }
    }
    #expect(
      messages == [
        """
        1: rename("x") changed the state, and the test does not say so:
          name: "" → "x"
        Give then a closure that makes this change.
        """,
        """
        2: renamed("x") led to another state than the test expects:
          name: "y" → "x"
        Expected is left of an arrow, the store's right. Change the closure of then, or what the interactor commits and reduces.
        """,
        """
        3: noted did not change the state, and the test expects that it does:
          name: "" → "y"
        Remove the change from the test, or make it in reduce.
        """,
      ])
  }

  @Test("Another closing is shown")
  func otherClosing() {
    let messages = messages { given in
      given.when(.reload, endsAs: .cancelled).then(nil, line: 1)
    }
    #expect(
      messages == [
        """
        1: The closing of reload as cancelled is another than the test expects:
          nil → failure("cancelled")
        Expected is left of an arrow, the interactor's right. Change the mutation in then, or what closing returns.
        """
      ])
  }
}

/// A parent whose child may be missing, and that closes each action that does not finish.
private struct Cabinet: Interactor {
  struct State: Sendable, Equatable {
    var drawer: Records.State?
    var isClosed = false
  }

  enum Mutation: Sendable, Equatable {
    case drawer(Records.Mutation)
    case closed
  }

  let drawer = Scoped<DrawerScope>(Records())

  func decide(_ action: Records.Action, state: State) -> Decision<Mutation> { drawer.decide(action, state: state) }

  func handle(_ action: Records.Action, state: State) async -> Effect<Self> {
    await drawer.handle(action, state: state)
  }

  func closing(_ action: Records.Action, outcome: Outcome) -> Mutation? { .closed }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .drawer(let mutation): DrawerScope.reduce(into: &state, mutation: mutation)
    case .closed: state.isClosed = true
    }
  }
}

private enum DrawerScope: OptionalScope {
  typealias Parent = Cabinet
  typealias Child = Records

  static func state(of parent: Cabinet.State) -> Records.State? { parent.drawer }
  static func mutation(_ mutation: Records.Mutation) -> Cabinet.Mutation { .drawer(mutation) }
  static func update(_ parent: inout Cabinet.State, _ body: (inout Records.State) -> Void) {
    if parent.drawer != nil { body(&parent.drawer!) }
  }
}
