#if DEBUG
  import Testing

  @testable import MillraceTesting

  @Suite("NearMisses")
  struct NearMissesTests {
    private static let types = NearMisses.Types(
      interactor: "N.Box", action: "N.Box.Action", mutation: "N.Box.Mutation", state: "N.Box.State")

    private static let decide = "N.Box.decide(_: N.Box.Action, state: N.Box.State) -> Millrace.Decision<N.Box.Mutation>"
    private static let plan = "N.Box.plan(for: N.Box.Action, state: N.Box.State) -> Millrace.Plan"
    private static let closing =
      "N.Box.closing(_: N.Box.Action, outcome: Millrace.Outcome) -> Swift.Optional<N.Box.Mutation>"

    @Test(
      "A requirement of the protocol is no near miss, nor is any unrelated method",
      arguments: [decide, plan, closing])
    func theRealOneSilencesOverloads(real: String) {
      let overloads = [
        "static \(real)", real.replacing(") ->", with: ") async ->"), real.replacing("(_:", with: "(action:"),
        real.replacing("(for:", with: "(_:"), real.replacing("N.Box.decide", with: "N.Box.decid"),
      ]
      #expect(NearMisses(of: Self.types, among: [real]).sentences == [])
      #expect(NearMisses(of: Self.types, among: overloads + [real] + overloads).sentences == [])
    }

    @Test(
      "A near miss is named with what is wrong",
      arguments: [
        ("static \(decide)", "Box.decide(_:state:) looks like Interactor's and is static"),
        (
          decide.replacing(") ->", with: ") async ->"), "Box.decide(_:state:) looks like Interactor's and is async"
        ),
        (plan.replacing(") ->", with: ") throws ->"), "Box.plan(for:state:) looks like Interactor's and throws"),
        (
          decide.replacing("<N.Box.Mutation>", with: "<N.Box.State>"),
          "Box.decide(_:state:) looks like Interactor's and returns another type"
        ),
        (
          plan.replacing("Millrace.Plan", with: "Swift.Optional<Millrace.Plan>"),
          "Box.plan(for:state:) looks like Interactor's and returns another type"
        ),
        (
          closing.replacing("Swift.Optional", with: "Swift.Array"),
          "Box.closing(_:outcome:) looks like Interactor's and returns another type"
        ),
        (
          "N.Box.closing(_: N.Box.Action, outcome: Millrace.Outcome) -> N.Box.Mutation",
          "Box.closing(_:outcome:) looks like Interactor's and returns another type"
        ),
        (
          "N.Box.plan(for: N.Box.Action) -> Millrace.Plan",
          "Box.plan(for:) looks like Interactor's plan(for:state:) and is not"
        ),
        (
          plan.replacing("N.Box.State", with: "N.Job"),
          "Box.plan(for:state:) looks like Interactor's and takes other types"
        ),
        (
          plan.replacing("for", with: "of"),
          "Box.plan(of:state:) looks like Interactor's plan(for:state:) and is not"
        ),
        (
          plan.replacing("N.Box.Action", with: "N.Job"),
          "Box.plan(for:state:) looks like Interactor's and takes other types"
        ),
        (
          "N.Box.decide(action: N.Box.Action) -> Millrace.Decision<N.Box.Mutation>",
          "Box.decide(action:) looks like Interactor's decide(_:state:) and is not"
        ),
        (
          closing.replacing("closing", with: "(clsing in _EFF83A1F47B777EA672D48C97C71346F)"),
          "Box.clsing(_:outcome:) looks like Interactor's closing(_:outcome:) and is not"
        ),
        (
          closing.replacing("closing", with: "close"),
          "Box.close(_:outcome:) looks like Interactor's closing(_:outcome:) and is not"
        ),
        (
          "(extension in B):\(plan.replacing("for", with: "of"))",
          "Box.plan(of:state:) looks like Interactor's plan(for:state:) and is not"
        ),
      ])
    func aNearMissIsNamed(method: String, beginning: String) throws {
      let sentences = NearMisses(of: Self.types, among: [method, method, "N.Other.go() -> ()"]).sentences
      #expect(sentences.count == 1)
      #expect(sentences.first?.hasPrefix("\(beginning), so the default is used; spell it `func ") == true)
      #expect(sentences.first?.hasSuffix("`, or rename it.") == true)
    }

    @Test(
      "A method that does not look the part is none",
      arguments: [
        "N.Box.decide(_: N.Box.Action, state: N.Box.State) -> Swift.Bool", "N.Box.decide() -> Swift.Bool",
        "N.Box.decide(N.Job) -> Millrace.Decision<N.Box.Mutation>",
        "N.Box.deride(_: N.Job, state: N.Box.State) -> Millrace.Decision<N.Box.Mutation>",
        "N.Box.plan(for: N.Box.Action) -> N.Plan", "N.Box.plan(N.Job) -> Millrace.Plan",
        "N.Box.plan() -> Millrace.Plan",
        "N.Box.play(N.Box.Action) -> ()", "N.Box.plan.getter : Millrace.Plan",
        "N.Box.Inner.plan(N.Box.Action) -> Millrace.Plan", "N.Box.plan<A>(_: N.Box.Action, A) -> Millrace.Plan",
        "(extension in N):N.Box<A where A == Swift.Int>.plan(N.Box.Action) -> Millrace.Plan",
        "N.Box.closing(N.Box.Action) -> Swift.Optional<N.Box.Mutation>",
        "N.Box.closing(N.Box.Action, Millrace.Outcome) -> ()",
        "N.Box.close(N.Box.Action, because: Millrace.Outcome) async -> N.Box.Mutation",
        "N.Box.finish(_: N.Box.Action, outcome: Millrace.Outcome) -> Swift.Optional<N.Box.Mutation>",
      ])
    func aMethodThatDoesNotLookThePartIsNone(method: String) {
      #expect(NearMisses(of: Self.types, among: [method]).sentences == [])
    }

    @Test(
      "A generic interactor's types are learned from handle and reduce, and where they are not nothing is found",
      arguments: [
        ("_: A, outcome: Millrace.Outcome", [], 0),
        ("_: A, outcome: Millrace.Outcome", ["handle", "reduce"], 0),
        ("_: N.Job, outcome: Millrace.Outcome", ["handle", "reduce"], 0),
        ("A, Millrace.Outcome", [], 0),
        ("A, Millrace.Outcome", ["handle"], 0),
        ("A, Millrace.Outcome", ["reduce"], 0),
        ("A, Millrace.Outcome", ["handle", "reduce"], 1),
      ] as [(String, [String], Int)])
    func typesAreLearned(parameters: String, known: [String], count: Int) {
      let types = NearMisses.Types(
        interactor: "N.Box", isGeneric: true, action: "Swift.Int", mutation: "N.Box<Swift.Int>.Mutation",
        state: "N.Box<Swift.Int>.State")
      let others = [
        "handle": "N.Box.handle(_: A, state: N.Box<A>.State) async -> Millrace.Effect<N.Box<A>>",
        "reduce": "static N.Box.reduce(into: inout N.Box<A>.State, mutation: N.Box<A>.Mutation) -> ()",
      ]
      let methods =
        known.compactMap { others[$0] } + [
          "N.Box.closing(\(parameters)) -> Swift.Optional<N.Box<A>.Mutation>"
        ]
      #expect(NearMisses(of: types, among: methods).sentences.count == count)
    }
  }
#endif
