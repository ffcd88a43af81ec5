import Testing

@testable import MillraceTesting

@Suite("TaskTree")
struct TaskTreeTests {
  @Test("A task is named by those that made it, whatever was made between")
  func paths() {
    var tasks = TaskTree()
    // The body, two tasks of it, one that no task made, and one of the second.
    for parent in [0, 1, 1, 0, 3, 1] { tasks.add(madeBy: parent) }
    #expect((0...6).map { tasks.path(of: $0) } == [[0], [1], [1, 1], [1, 2], [2], [1, 2, 1], [1, 3]])
    for task in 0...6 { #expect(tasks.identity(of: task) == TaskTree.identity(tasks.path(of: task))) }
    #expect(Set((0...6).map { tasks.identity(of: $0) }).count == 7)
  }

  @Test("A task that is taken out leaves its name to the next one")
  func removed() {
    var tasks = TaskTree()
    for parent in [0, 1] { tasks.add(madeBy: parent) }
    tasks.removeLast()
    tasks.add(madeBy: 1)
    #expect(tasks.path(of: 2) == [1, 1])
  }

  @Test("The steps of each task are numbered from 0 on")
  func steps() {
    var tasks = TaskTree()
    tasks.add(madeBy: 0)
    #expect([0, 1, 1, 0, 1].map { tasks.nextStep(of: $0) } == [0, 0, 1, 1, 2])
    #expect("\(tasks.position(2, of: 1))" == "1.2")
  }
}
