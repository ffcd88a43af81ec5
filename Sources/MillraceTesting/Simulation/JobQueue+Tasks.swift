import Millrace
import MillraceHooks

/// The tasks of a world, and the one that runs.
extension JobQueue {
  /// The number of the task that runs on the world's thread.
  var runningTask: Int {
    let id = millrace_current_task_id()
    return shared.withLock { number(ofRunning: id, in: &$0) }
  }

  /// The task that runs on the world's thread, as one that draws.
  var drawer: Choices.Drawer {
    let id = millrace_current_task_id()
    return shared.withLock { shared in
      let task = number(ofRunning: id, in: &shared)
      return Choices.Drawer(task: task, identity: shared.tasks.tree.identity(of: task))
    }
  }

  /// The same, after that task was asked for its name.
  var namedRunningTask: Int {
    let task = runningTask
    noteCurrentTask(millrace_current_task_id())
    return task
  }

  func number(ofRunning id: UInt64, in shared: inout Shared) -> Int {
    let running = running
    return id == running.id ? running.task : shared.tasks.numberOfRunning(id, madeBy: running.task)
  }

  /// Notes that the task that runs here is a handler, which may never have been enqueued.
  func meetHandler(_ name: @escaping @Sendable () -> String) {
    let id = millrace_current_task_id()
    let parent = running.task
    shared.withLock { $0.tasks.meet(id, madeBy: parent, handler: name) }
  }

  /// Notes that the task that runs here is no handler any more.
  func handlerReturned() {
    let id = millrace_current_task_id()
    shared.withLock { $0.tasks.handlerReturned(id) }
  }

  /// Asks the task that runs for its name.
  func noteCurrentTask(_ id: UInt64) {
    let name = Task.name
    shared.withLock { $0.tasks.name(id, name) }
  }

  /// Notes that the task that runs awaits the value of the task with an id, if events are kept.
  func noteAwait(of id: UInt64) {
    guard let world, world.isTraced else { return }
    let task = namedRunningTask
    let awaited = shared.withLock { task == 0 ? nil : $0.tasks.note(task, awaits: id) }
    if let awaited { world.trace([awaited]) { "awaits the value of " } }
  }

  /// The task that each task awaited last, by their numbers.
  var awaits: [Int: Int] { shared.withLock { $0.tasks.awaits } }

  /// The names of the tasks in a trace, by their numbers.
  var labels: [String] { shared.withLock { $0.tasks.labels } }

  /// The place of a draw or a step of a task.
  func place(_ number: Int, of task: Int) -> SimulationPlan.Place {
    shared.withLock { $0.tasks.tree.place(number, of: task) }
  }
}
