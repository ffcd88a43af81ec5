import Millrace
import Testing

@testable import MillraceTesting

@Suite("ModelCheck")
struct ModelCheckTests {
  /// Two jugs, of 3 and of 5; the old riddle is to get 4 into the larger one, which takes 6 steps at least.
  struct Jugs: Interactor {
    enum Jug: Sendable {
      case small, large
    }

    enum Action: Sendable {
      case fill(Jug), empty(Jug), pour(into: Jug)
    }

    struct State: Sendable, Hashable {
      var small = 0
      var large = 0
    }

    func decide(_ action: Action, state: State) -> Decision<State> {
      var next = state
      switch action {
      case .fill(.small): next.small = 3
      case .fill(.large): next.large = 5
      case .empty(.small): next.small = 0
      case .empty(.large): next.large = 0
      case .pour(into: .small):
        let poured = min(state.large, 3 - state.small)
        next = State(small: state.small + poured, large: state.large - poured)
      case .pour(into: .large):
        let poured = min(state.small, 5 - state.large)
        next = State(small: state.small - poured, large: state.large + poured)
      }
      return .mutate(next)
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> { .none }

    static func reduce(into state: inout State, mutation: State) { state = mutation }

    static let actions: [Action] = [
      .fill(.small), .fill(.large), .empty(.small), .empty(.large), .pour(into: .small), .pour(into: .large),
    ]
  }

  private func jugs(
    invariants: KeyValuePairs<String, (Jugs.State) -> Bool> = [:],
    reachable: KeyValuePairs<String, (Jugs.State) -> Bool> = [:],
    maximumStates: Int = 100
  ) -> ModelCheck<Jugs>.Report {
    ModelCheck(
      initial: Jugs.State(), interactor: Jugs(), actions: Jugs.actions, invariants: invariants, reachable: reachable,
      maximumStates: maximumStates
    ).run()
  }

  @Test("All states are found, and nothing is wrong with them")
  func sound() {
    let report = jugs(
      invariants: ["no jug runs over": { $0.small <= 3 && $0.large <= 5 }], reachable: ["4": { $0.large == 4 }])
    #expect(report.isSound)
    #expect(report.isComplete)
    #expect(report.states.count == 16)
    #expect(report.states.allSatisfy { [0, 3].contains($0.small) || [0, 5].contains($0.large) })
    #expect("\(report)" == "16 states and 58 steps between them: nothing is wrong.")
  }

  @Test("A planted violation is shown with its shortest path, of six steps")
  func violation() {
    let report = jugs(invariants: ["the large jug never holds 4": { $0.large != 4 }, "true": { _ in true }])
    #expect(report.violations.map(\.invariant) == ["the large jug never holds 4"])
    #expect(
      report.problems == [
        """
        "the large jug never holds 4" does not hold after 6 steps:
          State(small: 0, large: 0)
          send fill(large) → State(small: 0, large: 5)
          send pour(into: small) → State(small: 3, large: 2)
          send empty(small) → State(small: 0, large: 2)
          send pour(into: small) → State(small: 2, large: 0)
          send fill(large) → State(small: 2, large: 5)
          send pour(into: small) → State(small: 3, large: 4)
        Change decide or reduce so that no step leads there, or the invariant if the state is right.
        """
      ])
    #expect("\(report)" == "16 states and 58 steps between them.\n\(report.problems[0])")
  }

  @Test("An invariant that does not hold at the beginning, and a case that is not reached, are shown")
  func beginning() {
    let report = jugs(
      invariants: ["not empty": { $0.small > 0 }], reachable: ["4": { $0.large == 4 }, "9": { $0.large == 9 }])
    #expect(report.unreached == ["9"])
    #expect(
      report.problems == [
        """
        "not empty" does not hold at the beginning:
          State(small: 0, large: 0)
        Change decide or reduce so that no step leads there, or the invariant if the state is right.
        """,
        """
        "9" holds in none of the 16 states that were looked at. Add the action or the mutation that leads to it, or change \
        decide or reduce so that one does.
        """,
      ])
  }

  @Test("More states than may be looked at are a failure, with what to do")
  func maximum() {
    let report = jugs(maximumStates: 5)
    #expect(report.states.count == 5)
    #expect(!report.isSound)
    #expect(
      report.problems == [
        """
        There are more states than the maximum of 5 that may be looked at, and nothing is known of the others. Raise maximum, \
        or let actions and mutations depend on the state, so that there are fewer.
        """
      ])
  }

  private func records(
    mutations: @escaping (Records.State) -> [Records.Mutation]
  ) -> ModelCheck<Records> {
    ModelCheck(
      initial: Records.State(), interactor: Records(), actions: { _ in [.reload, .deny] }, mutations: mutations,
      mustLeave: \.isLoading)
  }

  @Test("A state that has to be left, and leads to none that has not, is shown; a closing may be the way out")
  func stuck() {
    #expect(records { $0.isLoading ? [.loaded([])] : [] }.run().isSound)
    let report = records { _ in [] }.run()
    #expect(report.states.count == 4)
    #expect(report.isSound)  // A denied action is closed, which ends the loading.
    let check = ModelCheck(
      initial: Records.State(), interactor: Records(), actions: [.reload, .rename("x")], mustLeave: \.isLoading)
    #expect(
      check.run().problems == [
        """
        2 states that have to be left have no way out.
        After 1 step:
          State(isLoading: false, records: [], name: "", query: nil, failure: nil)
          send reload → State(isLoading: true, records: [], name: "", query: nil, failure: nil)
        After 2 steps:
          State(isLoading: false, records: [], name: "", query: nil, failure: nil)
          send reload → State(isLoading: true, records: [], name: "", query: nil, failure: nil)
          send rename("x") → State(isLoading: true, records: [], name: "x", query: nil, failure: nil)
        Add the action or the mutation that leads out, such as a closing one, or change decide or reduce.
        """
      ])
  }

  /// Counts up to its last number, and no further.
  private struct Line: Interactor {
    let last: Int

    func decide(_ action: Void, state: Int) -> Decision<Int> { .mutate(min(state + 1, last)) }
    func handle(_ action: Void, state: Int) async -> Effect<Self> { .none }
    static func reduce(into state: inout Int, mutation: Int) { state = mutation }
  }

  @Test("Up to three states without a way out are shown, and the others are counted", arguments: [2, 3, 4])
  func shownStuck(count: Int) throws {
    let check = ModelCheck(initial: 0, interactor: Line(last: count - 1), actions: [()], mustLeave: { _ in true })
    let text = try #require(check.run().problems.first)
    #expect(text.hasPrefix("\(count) states that have to be left have no way out.\n"))
    #expect(text.contains("\n… and 1 more.\n") == (count == 4))
    #expect(text.split(separator: "\n").count { $0.hasPrefix("After ") || $0.hasPrefix("At ") } == min(count, 3))
  }

  @Test(
    "As many states are looked at as the maximum says, at least one",
    arguments: [(0, 1), (1, 1), (3, 3), (4, 4), (5, 4)])
  func mostStates(maximum: Int, found: Int) {
    let report = ModelCheck(
      initial: 0, interactor: Line(last: 3), actions: { _ in [()] }, mutations: { _ in [] }, maximumStates: maximum
    ).run()
    #expect(report.states.count == found && report.isComplete == (maximum >= 4))
  }

  @Test("A single state without a way out is named in the singular, and a long list is cut")
  func stuckCounts() {
    let one =
      ModelCheck(initial: Records.State(), interactor: Records(), actions: [.reload], mustLeave: \.isLoading).run()
    #expect(one.stuck == [1])
    #expect(one.problems.first?.hasPrefix("1 state that has to be left has no way out.\nAfter 1 step:\n") == true)
    let many = ModelCheck(
      initial: Jugs.State(), interactor: Jugs(), actions: Jugs.actions, mustLeave: { _ in true }
    ).run()
    #expect(
      many.problems.first?.hasPrefix("16 states that have to be left have no way out.\nAt the beginning:\n") == true)
    #expect(many.problems.first?.contains("\n… and 13 more.\nAdd") == true)
  }

  @Test("verify fails the test at its line for each thing that is wrong, and for nothing else")
  func verify() {
    let failures = Failures()
    failures.collect {
      ModelCheck(
        initial: Jugs.State(), interactor: Jugs(), actions: Jugs.actions, invariants: ["small": { $0.small < 3 }],
        reachable: ["9": { $0.small == 9 }]
      ).verify(line: 42)
      ModelCheck(initial: Jugs.State(), interactor: Jugs(), actions: Jugs.actions).verify(line: 43)
    }
    #expect(failures.lines == [42, 42])
    #expect(failures.messages.map { $0.prefix(8) } == ["\"small\" ", "\"9\" hold"])
    #expect(failures.files.allSatisfy { $0.hasSuffix("ModelCheckTests.swift") })
  }

  private var graph: ModelCheck<Records>.Report {
    ModelCheck(
      initial: Records.State(), interactor: Records(), actions: [.rename("<\"a\"\\>")], mutations: [.loading],
      invariants: ["has no name": { $0.name.isEmpty }], mustLeave: \.isLoading
    ).run()
  }

  @Test("Every state where an invariant does not hold is marked, not only the nearest one")
  func violating() {
    #expect(graph.violations.map(\.state) == [1])
    #expect(graph.violating == [1, 3])
  }

  /// Describes its state in more than one line, and with a quote that is part of a larger character.
  private struct Odd: Interactor {
    struct State: Sendable, Hashable, CustomStringConvertible {
      var description: String { "a\r\nb\"\u{301}" }
    }

    func decide(_ action: Int, state: State) -> Decision<Int> { .ignore }

    func handle(_ action: Int, state: State) async -> Effect<Self> { .none }

    static func reduce(into state: inout State, mutation: Int) {}
  }

  @Test("In a graph no part of a state ends a line or a text, not even within a character")
  func oddCharacters() {
    let report = ModelCheck(initial: Odd.State(), interactor: Odd(), actions: [1]).run()
    #expect(report.mermaid == "flowchart TD\n  s0([\"a  b#quot;\u{301}\"])\n")
    #expect(
      report.dot == """
        digraph {
          node [shape=box, style=filled, fillcolor=white]
          s0 [label="a \\nb\\"\u{301}", shape=ellipse]
        }

        """)
  }

  @Test("The graph is printed for Mermaid")
  func mermaid() {
    #expect(
      graph.mermaid == """
        flowchart TD
          s0(["State(isLoading: false, records: [], name: #quot;#quot;, query: nil, failure: nil)"])
          s1["State(isLoading: false, records: [], name: #quot;#lt;#92;#quot;a#92;#quot;#92;#92;#gt;#quot;, query: nil, failure: nil)"]
          s2["State(isLoading: true, records: [], name: #quot;#quot;, query: nil, failure: nil)"]
          s3["State(isLoading: true, records: [], name: #quot;#lt;#92;#quot;a#92;#quot;#92;#92;#gt;#quot;, query: nil, failure: nil)"]
          s0 -->|"send rename(#quot;#lt;#92;#quot;a#92;#quot;#92;#92;#gt;#quot;)"| s1
          s0 -->|"commit loading"| s2
          s1 -->|"commit loading"| s3
          s2 -->|"send rename(#quot;#lt;#92;#quot;a#92;#quot;#92;#92;#gt;#quot;)"| s3
          style s1 fill:#f99
          style s3 fill:#f99
          style s2 fill:#fc6

        """)
  }

  @Test("The graph is printed for Graphviz")
  func dot() {
    #expect(
      graph.dot == #"""
        digraph {
          node [shape=box, style=filled, fillcolor=white]
          s0 [label="State(isLoading: false, records: [], name: \"\", query: nil, failure: nil)", shape=ellipse]
          s1 [label="State(isLoading: false, records: [], name: \"<\\\"a\\\"\\\\>\", query: nil, failure: nil)", fillcolor="#ff9999"]
          s2 [label="State(isLoading: true, records: [], name: \"\", query: nil, failure: nil)", fillcolor="#ffcc66"]
          s3 [label="State(isLoading: true, records: [], name: \"<\\\"a\\\"\\\\>\", query: nil, failure: nil)", fillcolor="#ff9999"]
          s0 -> s1 [label="send rename(\"<\\\"a\\\"\\\\>\")"]
          s0 -> s2 [label="commit loading"]
          s1 -> s3 [label="commit loading"]
          s2 -> s3 [label="send rename(\"<\\\"a\\\"\\\\>\")"]
        }

        """#)
  }
}
