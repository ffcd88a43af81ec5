import Millrace

/// The steps that give way to jobs behind them: those that the plan names, and those that did so.
///
/// The job that has waited longest runs next, unless it gives way. So any order of a world is a number for some of its steps, and the numbers of one
/// task stay true where another task is left out.
extension JobQueue {
  /// A step of a task: its own, or the turn of an actor that it caused.
  struct Step {
    var task: Int32 = 0
    /// The number among the steps of the task, from 0 on.
    var number: Int32 = 0
    /// The number of times for which it gives way by the plan, and for which it has done so.
    var planned: Int32 = 0
    var done: Int32 = 0

    /// Whether it gives way once more by the plan.
    var isDue: Bool { done < planned }
  }

  /// The next step of a task.
  func nextStep(of task: Int, _ tasks: inout KnownTasks) -> Step {
    let number = tasks.nextStep(of: task)
    let times = plannedSteps.map { $0[TaskTree.identity(tasks.tree.identity(of: task), number)] ?? 0 } ?? 0
    return Step(task: Int32(task), number: Int32(clamping: number), planned: Int32(clamping: times))
  }

  /// The index of the job that runs next by the plan: the first one that does not give way; nil if that is left to the seed.
  var plannedIndex: Int? { plannedSteps == nil ? nil : ready.firstIndex { !$0.step.isDue } ?? 0 }

  /// The plan that has no choice in it but those that were made.
  func made(_ choices: Choices) -> SimulationPlan {
    let tree = shared.withLock { $0.tasks.tree }
    let steps = pastSteps + ready.map(\.step).filter { $0.done > 0 }
    let places = steps.map { (tree.place(Int($0.number), of: Int($0.task)), Int($0.done)) }
    return choices.made(by: tree, Dictionary(places, uniquingKeysWith: +))
  }
}

extension [JobQueue.Job] {
  /// Takes the job at an index out, which those before it give way to.
  mutating func take(at index: Int) -> JobQueue.Job {
    for earlier in 0..<index { self[earlier].step.done += 1 }
    return remove(at: index)
  }
}
