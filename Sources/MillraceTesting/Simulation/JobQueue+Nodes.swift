import Millrace
import MillraceHooks

/// The nodes that tasks belong to.
extension JobQueue {
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

  /// Lets the tasks that `body` makes belong to a life.
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

  /// Lets what still runs have no effect, and be ready whatever became of its node.
  func endNodes() { isOver = true }
}

/// The tasks that pause for a number of steps.
extension JobQueue {
  /// Suspends the task that runs for a number of steps, or until nothing else can continue.
  func pause(for steps: Int) async {
    await withCheckedContinuation { continuation in
      let step = (world?.withRecord { $0.choices.stepCount } ?? 0) + steps
      let place = pauses.firstIndex { $0.step > step } ?? pauses.count
      pauses.insert((step, continuation), at: place)
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
