import Testing

@testable import MillraceTesting

@Suite("SimulationFailureText")
struct SimulationFailureTextTests {
  private func text(
    _ failure: WorldFailure, smallest: SimulationPlan? = nil, notes: [String] = [], isHashingDeterministic: Bool = true
  ) -> [String] {
    let plan = SimulationPlan(seed: 417)
    let result = WorldRun.Result(
      failure: failure, made: plan, widths: [1, 2, 1], notes: notes, time: .seconds(1), fingerprint: 0)
    let text = SimulationFailureText(
      plan: plan, smallest: smallest ?? plan, failure: failure, result: result, worlds: 5,
      isHashingDeterministic: isHashingDeterministic)
    return text.description.split(separator: "\n").map(String.init)
  }

  @Test("It says what is wrong, where, and how to run it again")
  func plain() {
    #expect(
      text(WorldFailure(.always, "nothing is lost", file: #filePath, line: 1)) == [
        "Seed 417: this does not hold always: nothing is lost.",
        "It happened after 3 steps, at 1.0 seconds of the world's time, in world 5 of this simulation.",
        "To run it again: Simulation.run(seed: 417)",
      ])
  }

  @Test("It says what it was shrunk to, what the replay needs of the environment, and the last notes")
  func shrunk() {
    let lines = text(
      WorldFailure(.bodyThrew, "an error"), smallest: SimulationPlan("417 actions 0,4 draws none steps 12=1"),
      notes: (1...42).map { "note \($0)" }, isHashingDeterministic: false)
    #expect(
      lines.dropFirst(3).prefix(5) == [
        "As small as it was made (actions: 2, draws: 0, scheduling decisions: 1):",
        "  Simulation.run(plan: \"417 actions 0,4 draws none steps 12=1\")",
        "Run it with SWIFT_DETERMINISTIC_HASHING=1 in the environment; without it the order of sets and dictionaries may differ.",
        "  … 2 notes before these", "  note 3",
      ])
    #expect(lines.last == "  note 42" && lines.count == 47)
  }

  @Test(
    "Each kind of failure has its sentence",
    arguments: [
      (WorldFailure.Kind.eventually, "this never came to hold: R"), (.atTheEnd, "this does not hold at the end: R"),
      (.expectation, "this does not hold: R"), (.bodyThrew, "the body threw R"), (.failure, "R"),
      (.doesNotEnd, "it does not come to an end within R steps; end what goes round in circles, or give more steps"),
    ])
  func kinds(kind: WorldFailure.Kind, sentence: String) {
    #expect(text(WorldFailure(kind, "R"))[0] == "Seed 417: \(sentence).")
  }
}
