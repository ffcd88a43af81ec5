import Testing

@testable import MillraceTesting

@Suite("Choices")
struct ChoicesTests {
  @Test("Each of the jobs that are ready is chosen by some step, the first and the last too", arguments: 2...6)
  func everyJob(count: Int) {
    var choices = Choices(Simulation.Plan(seed: 6))
    var chosen = Set<Int>()
    for _ in 0..<2_000 { chosen.insert(choices.step(among: 1...count)) }
    #expect(chosen == Set(0..<count))
    #expect(choices.stepCount == 2_000)
  }

  @Test("Each number up to the limit is drawn, the limit too")
  func everyNumber() {
    var choices = Choices(Simulation.Plan(seed: 7))
    #expect(Set((0..<200).map { _ in choices.draw(upTo: 3) }) == [0, 1, 2, 3])
    #expect(choices.draw(upTo: 0) == 0)
  }

  @Test("A single job is no choice, and is run in every plan")
  func oneJob() {
    var choices = Choices(Simulation.Plan(seed: 7))
    #expect((0..<20).allSatisfy { _ in choices.step(among: 5...5) == 0 })
    #expect(choices.stepCount == 20)
  }

  @Test("A plan with steps chooses its jobs, and where it has none the one that waited longest")
  func plannedSteps() throws {
    var choices = Choices(try #require(Simulation.Plan("7 steps none")))
    #expect(choices.step(among: 1...3, planned: 2) == 2 && choices.step(among: 1...3) == 0)
    #expect(choices.step(among: 1...1, planned: 0) == 0 && choices.stepCount == 3)
  }

  @Test("A plan with draws gives those of its places, as far as the limits allow, and otherwise the least")
  func plannedDraws() throws {
    var choices = Choices(try #require(Simulation.Plan("7 actions none draws 0.1=2,1.1.0=1")))
    #expect((0..<3).map { _ in choices.draw(upTo: 1) } == [0, 1, 0])
    choices.drawer = drawer(2, [1, 1])
    #expect((0..<2).map { _ in choices.draw(upTo: 5) } == [1, 0])
    #expect(choices.action() == nil)
    var tasks = TaskTree()
    for parent in 0...1 { tasks.add(madeBy: parent) }
    #expect("\(choices.made(by: tasks, [:]))" == "7 actions none draws 0.1=1,1.1.0=1 steps none")
  }

  @Test("The draws of a task are the same whatever other tasks draw before it, and whatever its number is")
  func drawsOfTasks() {
    var (alone, among) = (Choices(Simulation.Plan(seed: 7)), Choices(Simulation.Plan(seed: 7)))
    alone.drawer = drawer(2, [1, 2])
    let expected = (0..<10).map { _ in alone.draw(upTo: 1_000_000) }
    let drawn = (0..<10).map { number in
      among.drawer = drawer(1 + number % 2, [1, 3 + number % 2])
      _ = among.draw(upTo: 1_000_000)
      among.drawer = drawer(5, [1, 2])
      return among.draw(upTo: 1_000_000)
    }
    #expect(drawn == expected && Set(drawn).count == 10)
  }

  private func drawer(_ task: Int, _ path: [Int]) -> Choices.Drawer {
    Choices.Drawer(task: task, identity: TaskTree.identity(path))
  }
}
