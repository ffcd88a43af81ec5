import Testing

@testable import MillraceTesting

@Suite("Choices")
struct ChoicesTests {
  @Test("Each of the jobs that are ready is chosen by some step, the first and the last too", arguments: 2...6)
  func everyJob(count: Int) {
    var choices = Choices(SimulationPlan(seed: 6))
    var chosen = Set<Int>()
    for _ in 0..<2_000 { chosen.insert(choices.step(among: 1...count)) }
    #expect(chosen == Set(0..<count))
    #expect(choices.stepCount == 2_000)
  }

  @Test("Each number up to the limit is drawn, the limit too")
  func everyNumber() {
    var choices = Choices(SimulationPlan(seed: 7))
    #expect(Set((0..<200).map { _ in choices.draw(upTo: 3) }) == [0, 1, 2, 3])
    #expect(choices.draw(upTo: 0) == 0)
  }

  @Test("A single job is no choice, and is run in every plan")
  func oneJob() {
    var choices = Choices(SimulationPlan(seed: 7))
    #expect((0..<20).allSatisfy { _ in choices.step(among: 5...5) == 0 })
    #expect(choices.steps.isEmpty)
  }

  @Test(
    "A plan with steps chooses those jobs, as far as there are that many, and otherwise the one that waited longest")
  func plannedSteps() throws {
    var choices = Choices(try #require(SimulationPlan("7 actions none draws 1=2 steps 1=2,2=9")))
    #expect((0..<4).map { _ in choices.step(among: 1...3) } == [0, 2, 2, 0])
    #expect(choices.steps == [1: 2, 2: 2])
    #expect((0..<3).map { _ in choices.draw(upTo: 1) } == [0, 1, 0])
    #expect(choices.action() == nil)
  }
}
