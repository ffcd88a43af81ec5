import Millrace
import MillraceHooks

/// The tasks of a world, and the one that runs.
extension WorldRuntime {
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

  /// The position of a draw or a step of a task.
  func position(_ number: Int, of task: Int) -> Simulation.Plan.Position {
    shared.withLock { $0.tasks.tree.position(number, of: task) }
  }
}

/// The steps that give way to jobs behind them: those that the plan names, and those that did so.
///
/// The job that has waited longest runs next, unless it gives way. So any order of a world is a number for some of its steps, and the numbers of one
/// task stay true where another task is left out.
extension WorldRuntime {
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
  func made(_ choices: Choices) -> Simulation.Plan {
    let tree = shared.withLock { $0.tasks.tree }
    let steps = pastSteps + ready.map(\.step).filter { $0.done > 0 }
    let positions = steps.map { (tree.position(Int($0.number), of: Int($0.task)), Int($0.done)) }
    return choices.made(by: tree, Dictionary(positions, uniquingKeysWith: +))
  }
}

extension [WorldRuntime.Job] {
  /// Takes the job at an index out, which those before it give way to.
  mutating func take(at index: Int) -> WorldRuntime.Job {
    for earlier in 0..<index { self[earlier].step.done += 1 }
    return remove(at: index)
  }
}

/// The nodes that tasks belong to.
extension WorldRuntime {
  /// The life of the node whose task runs; 0 for none.
  var runningLife: NodeTasks.Life {
    let id = millrace_current_task_id()
    if id == running.id || id == 0 { return running.life }
    return nodes.life(of: shared.withLock { $0.tasks.numberOfRunning(id, madeBy: running.task) }, madeIn: running.life)
  }

  /// Whether the calling thread is the one of the world; if not, the seed fails.
  func isUsedHere(_ function: String) -> Bool {
    if !isOwnedHere { world?.fail(WorldFailure(.usedElsewhere, function)) }
    return isOwnedHere
  }

  /// Begins a life of the node of this name.
  func beginLife(of node: String) -> NodeTasks.Life {
    let count = shared.withLock { $0.tasks.count }
    return nodes.begin(node, after: count)
  }

  /// Notes that the task which runs calls an actor; the seed fails if a task of another node has called it.
  func noteCall(of address: UnsafeRawPointer) {
    let actor = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
    guard let nodes = nodes.noteCall(of: actor, in: runningLife) else { return }
    world?.fail(WorldFailure(.sharedActor, by: "\(type(of: actor))", "'\(nodes.first)' and '\(nodes.second)'"))
  }

  /// Assigns the tasks that `body` makes to a life.
  func making<Result>(in life: NodeTasks.Life, _ body: () -> Result) -> Result {
    nodes.maker = life
    defer { nodes.maker = nil }
    return body()
  }

  /// Notes that the task that runs is a handler of a store of a node.
  func assignRunningTask(to life: NodeTasks.Life) { nodes.assign(runningTask, to: life) }

  /// Ends a life: its jobs do not run any more.
  func endLife(_ life: NodeTasks.Life) {
    nodes.end(life)
    for job in take(life) { nodes.stop(job) }
  }

  func hasEnded(_ life: NodeTasks.Life) -> Bool { nodes.hasEnded(life) }

  /// Whether the step that runs has no effect: its node has crashed, or the world has ended.
  var isCutOff: Bool { isOver || nodes.hasEnded(runningLife) }

  /// Disconnects the jobs that still run, and marks them as ready whatever became of their nodes.
  func endNodes() { isOver = true }
}

/// The tasks that pause for a number of steps.
extension WorldRuntime {
  /// Suspends the task that runs for a number of steps, or until nothing else can continue.
  func pause(for steps: Int) async {
    await withCheckedContinuation { continuation in
      let step = (world?.withRecord { $0.choices.stepCount } ?? 0) + steps
      let index = pauses.firstIndex { $0.step > step } ?? pauses.count
      pauses.insert((step, continuation), at: index)
    }
  }

  /// Resumes the tasks whose steps were made.
  func endPauses(at step: Int) {
    while let pause = pauses.first, pause.step <= step { pauses.removeFirst().continuation.resume() }
  }

  /// Resumes the next task, because nothing else can continue; false if none pauses.
  func endNextPause() -> Bool {
    if hasPauses { pauses.removeFirst().continuation.resume() }
    return !ready.isEmpty
  }

  var hasPauses: Bool { !pauses.isEmpty }
}

/// The jobs that are to run when a time of a clock of the system has come, which in a world is a time of the world's clock.
struct DelayedJobs {
  private struct Delayed {
    let job: WorldRuntime.Job
    /// Nil if the time never comes.
    let deadline: TestClock.Instant?

    func isDue(at now: TestClock.Instant) -> Bool { deadline.map { $0 <= now } ?? false }
  }

  private var delayed: [Delayed] = []

  var count: Int { delayed.count }

  /// The next deadline; nil if there is none.
  var next: TestClock.Instant? { delayed.lazy.compactMap(\.deadline).min() }

  mutating func add(_ job: WorldRuntime.Job, at deadline: TestClock.Instant?) {
    delayed.append(Delayed(job: job, deadline: deadline))
  }

  /// Takes out the jobs that are due, the earlier deadline first.
  mutating func due(at now: TestClock.Instant) -> [WorldRuntime.Job] {
    guard delayed.contains(where: { $0.isDue(at: now) }) else { return [] }
    let due = delayed.filter { $0.isDue(at: now) }.sorted { ($0.deadline ?? now) < ($1.deadline ?? now) }
    delayed.removeAll { $0.isDue(at: now) }
    return due.map(\.job)
  }

  /// Takes out the jobs of a life that has ended.
  mutating func take(_ life: NodeTasks.Life) -> [WorldRuntime.Job] {
    defer { delayed.removeAll { $0.job.life == life } }
    return delayed.map(\.job).filter { $0.life == life }
  }

  /// Takes all out, whatever the time is.
  mutating func takeAll() -> [WorldRuntime.Job] {
    defer { delayed = [] }
    return delayed.map(\.job)
  }
}
