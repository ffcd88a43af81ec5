import Testing

@testable import MillraceTesting

@Suite("SimulationFailureText")
struct SimulationFailureTextTests {
  /// The result of a world with this plan.
  private func result(
    _ plan: Simulation.Plan, _ failure: WorldFailure, steps: Int, seconds: Int, notes: [String], leftOver: [String] = []
  ) -> WorldRun.Result {
    WorldRun.Result(
      plan: plan, failure: failure, made: plan, steps: steps, notes: notes,
      time: .seconds(seconds), fingerprint: 0, leftOver: leftOver)
  }

  /// The text of a failure of seed 417 in world 5.
  private func text(
    _ failure: WorldFailure, plan: String = "417", smallest: (plan: String, failure: WorldFailure)? = nil,
    notes: [String] = [], leftOver: [String] = [], isHashingDeterministic: Bool = true,
    maximumSteps: Int = Simulation.maximumSteps
  ) throws -> [String] {
    let plan = try #require(Simulation.Plan(plan))
    var text = SimulationFailureText(
      result: result(plan, failure, steps: 3, seconds: 1, notes: notes, leftOver: leftOver), failure: failure,
      smallest: try smallest.map {
        let plan = try #require(Simulation.Plan($0.plan))
        return .init(
          plan: plan, result: result(plan, $0.failure, steps: 2, seconds: 4, notes: ["smaller"]), failure: $0.failure)
      }, worlds: 5, isHashingDeterministic: isHashingDeterministic)
    text.origin.maximumSteps = maximumSteps
    return text.description.split(separator: "\n").map(String.init)
  }

  private let always = WorldFailure(.always, "nothing is lost", file: #filePath, line: 1)
  private let beginning = [
    "Seed 417: this does not hold always: nothing is lost.",
    "It happened after 3 steps, at 1.0 seconds of the world's time, in world 5 of this simulation.",
  ]

  @Test("It says what is wrong, where, and how to run it again")
  func plain() throws {
    #expect(try text(always) == beginning + ["To run it again: Simulation.run(seed: 417)"])
    #expect(
      try text(always, plan: "417 steps 1.3=1")
        == beginning + ["To run it again: Simulation.run(plan: \"417 steps 1.3=1\")"])
  }

  @Test("It has the number of steps in its calls if that is one of the test's own")
  func maximumSteps() throws {
    let lines = try text(always, smallest: ("417 actions none", always), maximumSteps: 50)
    #expect(lines.contains("To run it again: Simulation.run(seed: 417, options: .init(maximumSteps: 50))"))
    #expect(lines.contains("  Simulation.run(plan: \"417 actions none\", options: .init(maximumSteps: 50))"))
  }

  @Test("It has at most 40 notes, the last ones, and says how many there are before these", arguments: [39, 40, 41])
  func mostNotes(count: Int) throws {
    let notes = (1...count).map { "note \($0)" }
    let lines = try text(always, notes: notes)
    let first = try #require(lines.firstIndex(of: "Notes:"))
    let hidden = count > 40 ? ["  … \(count - 40) notes before these"] : []
    #expect(lines[(first + 1)...].starts(with: hidden + notes.suffix(40).map { "  \($0)" }))
  }

  @Test("It tells the world that failed from the smallest one, and shows the notes of that")
  func smallest() throws {
    let lines = try text(always, smallest: ("417 actions 0,4 draws none steps 1.2.1=1", always), notes: ["larger"])
    #expect(
      lines == beginning + [
        "To run it again: Simulation.run(seed: 417)",
        "As small as it was made (actions: 2, draws: 0, scheduling decisions: 1):",
        "  Simulation.run(plan: \"417 actions 0,4 draws none steps 1.2.1=1\")",
        "  fails after 2 steps, at 4.0 seconds of the world's time.",
        "Notes of the smallest world:", "  smaller",
      ])
  }

  @Test("The failure of the smallest world is shown where it differs")
  func otherSentence() throws {
    let lines = try text(
      WorldFailure(.failure, "There are 3.", file: #filePath, line: 1),
      smallest: ("417 actions none", WorldFailure(.failure, "There is 1.", file: #filePath, line: 1)))
    #expect(lines[0] == "Seed 417: There are 3.")
    #expect(lines.contains("  There it says: There is 1."))
  }

  @Test("A plan that could not be made smaller is not shown twice")
  func notSmaller() throws {
    let lines = try text(always, plan: "417 actions none", smallest: ("417 actions none", always))
    #expect(
      lines == beginning + [
        "To run it again: Simulation.run(plan: \"417 actions none\")", "Notes of the smallest world:", "  smaller",
      ])
  }

  @Test("It says what the replay needs of the environment, and the last notes")
  func environment() throws {
    let lines = try text(always, notes: (1...42).map { "note \($0)" }, isHashingDeterministic: false)
    #expect(
      lines.dropFirst(3).prefix(4) == [
        "Run it with SWIFT_DETERMINISTIC_HASHING=1 in the environment; without it the order of sets and dictionaries may differ.",
        "Notes:", "  … 2 notes before these", "  note 3",
      ])
    #expect(lines.last == "  note 42" && lines.count == 46)
  }

  @Test(
    "Hashing is deterministic where the runtime reads the variable as true",
    arguments: [
      (nil, false), ("", false), ("0", false), ("no", false), ("false", false), ("on", false), ("1", true),
      ("yes", true),
      ("YES", true), ("true", true), ("True", true),
    ] as [(String?, Bool)])
  func hashing(value: String?, isDeterministic: Bool) {
    let environment = value.map { ["SWIFT_DETERMINISTIC_HASHING": $0] } ?? [:]
    #expect(SimulationFailureText.isHashingDeterministic(in: environment) == isDeterministic)
  }

  @Test("It says what was left over, and of many the first ones")
  func leftOver() throws {
    #expect(
      try text(always, leftOver: ["the body"]).last
        == "A task of seed 417 never ended although cancelled: the body.")
    #expect(
      try text(always, leftOver: (1...7).map { "task \($0)" }).last
        == "7 tasks of seed 417 never ended although cancelled: task 1, task 2, task 3, task 4, task 5, ….")
  }

  @Test(
    "Each kind of failure has its sentence",
    arguments: [
      (WorldFailure.Kind.eventually, "this never came to hold: R"), (.atTheEnd, "this does not hold at the end: R"),
      (.expectation, "this does not hold: R"), (.bodyThrew, "the body threw R"), (.failure, "R"), (.issue, "R"),
      (.assertion, "an assertion of XCTest failed in it: R"),
      (.doesNotEnd, "it does not come to an end within R steps; end what goes round in circles, or give more steps"),
    ])
  func kinds(kind: WorldFailure.Kind, sentence: String) throws {
    #expect(try text(WorldFailure(kind, "R"))[0] == "Seed 417: \(sentence).")
  }
}
