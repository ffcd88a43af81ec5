import Testing

@testable import MillraceTesting

@Suite("KnownTasks")
struct KnownTasksTests {
  /// The tasks of a world that began with task 10, and has met its body, task 8.
  private func begun() -> KnownTasks {
    var tasks = KnownTasks()
    _ = tasks.number(of: 8)
    _ = tasks.number(of: 10)
    tasks.worldBegins(after: 10)
    return tasks
  }

  @Test("Tasks that the world meets are numbered; older ones are none of its tasks, except the body")
  func numbers() {
    var tasks = begun()
    #expect(tasks.number(of: 8) == 1)
    #expect(tasks.number(of: 7) == nil && tasks.number(of: 9) == nil && tasks.number(of: 10) == nil)
    #expect(tasks.number(of: 20) == 2 && tasks.number(of: 15) == 3 && tasks.number(of: 20) == 2)
    #expect(tasks.number(of: 0) == 0)
  }

  @Test("A task that another thread enqueued first stays a stranger; a task of the world has escaped")
  func strangers() {
    var tasks = begun()
    #expect(tasks.numberOrStranger(of: 12) == nil && tasks.number(of: 12) == nil)
    #expect(tasks.numberOrStranger(of: 5) == nil)
    #expect(tasks.number(of: 13) == 2 && tasks.numberOrStranger(of: 13) == 2)
  }

  @Test("A task is known by the task that made it; one that is none of the world leaves no name")
  func parents() {
    var tasks = begun()
    _ = tasks.number(of: 20, madeBy: 1)
    _ = tasks.numberOfRunning(21, madeBy: 2)
    tasks.meet(22, madeBy: 1) { "the handler" }
    _ = tasks.number(of: 20, madeBy: 3)
    #expect((1...4).map { tasks.tree.path(of: $0) } == [[1], [1, 1], [1, 1, 1], [1, 2]])
    #expect((0..<3).map { _ in tasks.nextStep(of: 2) } == [0, 1, 2])
  }

  @Test("A trace names the body, an actor, and each task that was asked for its name")
  func labels() {
    var tasks = begun()
    for id in [20, 21, 22] as [UInt64] { _ = tasks.number(of: id) }
    tasks.name(20, "loader")
    tasks.name(21, nil)
    tasks.meet(22) { "the handler" }
    #expect(tasks.labels == ["an actor", "the body", "task 2 (loader)", "task 3", "task 4"])
  }

  @Test("A task awaits the last task whose value it has asked for, if the world has met that one")
  func awaits() {
    var tasks = begun()
    for id in [20, 21] as [UInt64] { _ = tasks.number(of: id) }
    #expect(tasks.note(1, awaits: 20) == 2 && tasks.note(1, awaits: 21) == 3)
    #expect(tasks.note(2, awaits: 22) == nil && tasks.awaits == [1: 3])
    _ = tasks.number(of: 22)
    #expect(tasks.awaits == [1: 3, 2: 4])
  }

  @Test("Before the world begins, the running task is none of the world")
  func beforeTheBeginning() {
    var tasks = KnownTasks()
    #expect(tasks.numberOfRunning(8) == 0)
    tasks.worldBegins(after: 10)
    #expect(tasks.numberOfRunning(8) == 0 && tasks.numberOfRunning(11) == 1)
  }

  @Test("A subject has the number, and the name once it is known; each task is asked once")
  func subjects() {
    var tasks = begun()
    for id in [20, 21, 22] as [UInt64] { _ = tasks.number(of: id) }
    #expect(tasks.isNameless(2))
    tasks.name(20, "loader")
    tasks.name(20, "another")
    tasks.name(21, nil)
    #expect(!tasks.isNameless(2) && !tasks.isNameless(3) && tasks.isNameless(4))
    tasks.meet(22) { "the handler" }
    #expect("\(tasks.subject(20))" == "task 2 of the world (loader)")
    #expect("\(tasks.subject(21))" == "task 3 of the world")
    #expect("\(tasks.subject(22))" == "the handler (task 4 of the world)")
    for id in [20, 22] as [UInt64] { tasks.handlerReturned(id) }
    #expect("\(tasks.subject(22))" == "task 4 of the world" && "\(tasks.subject(20))" == "task 2 of the world (loader)")
    #expect("\(tasks.subject(5))" == "an actor of the world")
  }
}
