import Dispatch
import Millrace
import MillraceHooks
import Synchronization

/// The runtime of a world: the jobs that Swift's runtime is asked to run on the thread of the world.
///
/// Each world that runs has a thread of its own. What that thread enqueues belongs to the world, but for tasks that are not of
/// the world: they continue outside of it. What another thread enqueues does not belong to it, unless it is a task that the world
/// knows: that one has escaped, and came back.
final class WorldRuntime: @unchecked Sendable {
  /// Something the runtime wants to be run.
  ///
  /// Its holder runs it once, on any thread.
  struct Job: @unchecked Sendable {
    let address: UnsafeRawPointer
    let kind: MillraceJobKind
    /// The task, counted in the order in which the world met them; 0 for the turn of an actor.
    let task: Int
    /// The id of the task; 0 for the turn of an actor, and where a task yields.
    let id: UInt64
    /// Whether its task lets the others go first: this job resumes that task.
    var yields = false
    /// The life of the node that it belongs to; 0 for none.
    var life: NodeTasks.Life = 0
    var step = Step()

    var isOfMainActor: Bool {
      kind == MillraceJobMain || kind == MillraceJobMainYield || kind == MillraceJobMainDelayed
    }
  }

  /// The way in which work left the world, and the work.
  enum Escape {
    /// A task slept with a tolerance on a clock of the system.
    case sleep(of: KnownTasks.Subject)
    /// A task gave work to a thread or a queue by a function of this name.
    case work(of: KnownTasks.Subject, function: String)
    /// Another thread resumed a task.
    case thread(of: KnownTasks.Subject)
    /// The main actor did not come to the world's work.
    case main(of: KnownTasks.Subject)
  }

  struct Shared {
    var tasks = KnownTasks()
    /// The jobs that came back from other threads.
    var arrivals: [Job] = []
    var escape: Escape?
    /// Whether nothing that comes back is taken any more.
    var isOver = false
  }

  /// The hops that are decisions.
  private let hops: MillraceHops

  /// The work outside that does not fail the seed.
  private let allowed: Simulation.Outside

  /// The longest real time of a wait for other threads, in seconds.
  let patience: Double

  /// The part that other threads see.
  let shared = Lock(Shared())
  private let arrival = ThreadSignal()

  /// The ready jobs, in the order in which they came; only the world's thread uses them, or the main thread in its place.
  private(set) var ready: [Job] = []

  /// The numbers of times for which steps give way by the plan, by numbers that stand for their positions; nil leaves that to the seed.
  let plannedSteps: [UInt64: Int]?

  /// The steps that gave way and are not ready any more.
  private(set) var pastSteps: [Step] = []

  /// The jobs that wait for a time, and the clocks and random numbers of user code; only the world's thread uses them.
  private var delayed = DelayedJobs()
  var system: WorldSystem

  /// Whether something outside may still have an effect on the world: it was given work, or a task outside was resumed.
  private var hasTouchedOutside = !millrace_tells_of_outside()

  /// The nodes that the tasks belong to, and the tasks that pause; only the world's thread uses them.
  var nodes = NodeTasks()
  var pauses: [(step: Int, continuation: CheckedContinuation<Void, Never>)] = []

  /// Whether the world has ended, so that what still runs has no effect.
  var isOver = false

  /// The task that runs, its id, and the life of its node; 0 for the turn of an actor, and between steps.
  private(set) var running = (task: 0, id: UInt64(0), life: NodeTasks.Life(0))

  /// The step that runs, for the thread that watches; only the world's thread writes, or the main thread in its place.
  private var watch = StepWatch()

  /// The text for the end of the process by a signal, on the world's thread or the main thread in its place.
  var crashText: UnsafePointer<CChar>?

  /// Whether a world runs, so that a job from another thread is looked at.
  private static let isActive = Atomic(false)
  /// The queues of the worlds that run.
  private static let active = Lock<[WorldRuntime]>([])

  /// The key by which the world's thread finds its world.
  weak var world: World?

  init(
    _ plan: Simulation.Plan = Simulation.Plan(seed: 0), hops: Simulation.Hops = .actors,
    allowing allowed: Simulation.Outside = [], patience: Double
  ) {
    system = WorldSystem(seed: plan.seed)
    plannedSteps = plan.steps.map { TaskTree.identities($0) }
    self.hops = MillraceHops(hops)
    self.allowed = allowed
    self.patience = patience
  }

  // MARK: The world's thread

  /// Makes the calling thread the one of the world, as long as `body` runs.
  ///
  /// - Parameter watch: called for each step.
  func own<Result>(watchedBy watch: StepWatch = StepWatch(), _ body: () -> Result) -> Result {
    self.watch = watch
    Self.changeActive { $0.append(self) }
    defer {
      Self.changeActive { $0.removeAll { $0 === self } }
      close()
      MainActorWorlds.shared.leave(self)
    }
    return adopt(body)
  }

  private static func changeActive(_ change: (inout [WorldRuntime]) -> Void) {
    active.withLock { active in
      change(&active)
      isActive.store(!active.isEmpty, ordering: .sequentiallyConsistent)
    }
  }

  /// Continues late work outside the world, rather than never.
  private func close() {
    let late = shared.withLock { shared in
      shared.isOver = true
      defer { shared.arrivals = [] }
      return shared.arrivals
    }
    for job in late {
      if job.isOfMainActor {
        DispatchQueue.main.async { UnownedJob(job).runSynchronously(on: MainActor.sharedUnownedExecutor) }
      } else {
        DispatchQueue.global().async { millrace_run_job(job.address) }
      }
    }
  }

  /// Takes what the calling thread enqueues in `body`, in place of the world's thread.
  func adopt<Result>(_ body: () -> Result) -> Result {
    Self.installSystem()
    millrace_install_hooks { address, kind, time in WorldRuntime.take(address, kind, time) }
    let earlier = millrace_thread_value()
    millrace_set_thread_value(Unmanaged.passUnretained(self).toOpaque())
    let earlierText = millrace_set_crash_text(crashText)
    defer {
      millrace_set_thread_value(earlier)
      _ = millrace_set_crash_text(earlierText)
    }
    return HopExecutor.take(hops, body)
  }

  /// Whether the calling thread is the one of this world.
  var isOwnedHere: Bool { millrace_thread_value() == Unmanaged.passUnretained(self).toOpaque() }

  /// Whether the calling thread is the one of a world.
  static var isOwnedByThisThread: Bool { ofThisThread != nil }

  /// The runtime of the world whose thread this is.
  static var ofThisThread: WorldRuntime? {
    millrace_thread_value().map { Unmanaged<WorldRuntime>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Finds out which tasks are older than the world: those with an id before that of a task that is made now.
  ///
  /// - Parameter makeTask: makes a task that does nothing.
  /// - Returns: Whether the runtime told of that task. If not, it tells of none.
  func noteBeginning(_ makeTask: () -> Void) -> Bool {
    let count = ready.count
    makeTask()
    guard ready.count > count else { return false }
    let first = ready.removeLast()
    millrace_run_job(first.address)
    shared.withLock { $0.tasks.worldBegins(after: first.id) }
    return true
  }

  // MARK: What the runtime asks

  /// Whether the job is taken; the runtime asks on every thread of the process.
  private static func take(_ address: UnsafeRawPointer, _ kind: MillraceJobKind, _ time: UInt64) -> Bool {
    if let runtime = ofThisThread { return runtime.add(address, kind, at: time) }
    guard isActive.load(ordering: .acquiring) else { return false }
    return active.withLock { $0 }.contains { $0.arrive(address, kind) }
  }

  /// The world's own thread has a job; false if that is a task of another.
  ///
  /// - Parameter time: the time of Dispatch for which a job is delayed.
  func add(_ address: UnsafeRawPointer, _ kind: MillraceJobKind, at time: UInt64 = 0) -> Bool {
    let id = millrace_task_id(address)
    let current = millrace_current_task_id()
    let yields = kind == MillraceJobYield || kind == MillraceJobMainYield
    let sleeps = kind == MillraceJobDelayed || kind == MillraceJobMainDelayed
    let (task, isNameless, step) = shared.withLock { shared in
      // A task that was begun at once was never enqueued; this is when it is met.
      let asking = number(ofRunning: current, in: &shared)
      // The job of a task that yields is none of its own, and that of a task that sleeps wakes it.
      let task = yields && id == 0 || sleeps ? asking : shared.tasks.number(of: id, madeBy: asking)
      let step = nextStep(of: task == 0 ? asking : task ?? 0, &shared.tasks)
      return (task, shared.tasks.isNameless(asking), step)
    }
    if isNameless { noteCurrentTask(current) }
    guard let task else {
      hasTouchedOutside = true
      return false
    }
    var job = Job(address: address, kind: kind, task: task, id: id, yields: yields, step: step)
    if nodes.areUsed {
      job.life = task == 0 ? runningLife : nodes.life(of: task, madeIn: runningLife)
      if nodes.hasEnded(job.life), !isOver {
        nodes.stop(job)
        return true
      }
    }
    if sleeps {
      let deadline = WorldSystem.deadline(time)
      delayed.add(job, at: deadline)
      if let deadline { world?.traceSleep(until: deadline) }
    } else {
      ready.append(job)
    }
    return true
  }

  /// The task that runs gives work to a thread or a queue; or the runtime does, as it does for a sleep with a tolerance.
  func noteOutside(_ function: String, isRuntime: Bool) {
    hasTouchedOutside = true
    if isRuntime ? function != "dispatch_source_create" : allowed.contains(.init(function: function)) { return }
    let id = millrace_current_task_id()
    noteCurrentTask(id)
    shared.withLock { shared in
      guard shared.escape == nil else { return }
      let subject = shared.tasks.subject(id)
      shared.escape = isRuntime ? .sleep(of: subject) : .work(of: subject, function: function)
    }
  }

  /// Another thread has a job, which may be a task of the world.
  private func arrive(_ address: UnsafeRawPointer, _ kind: MillraceJobKind) -> Bool {
    let id = millrace_task_id(address)
    let isOurs = shared.withLock { shared in
      guard !shared.isOver, id != 0, let task = shared.tasks.numberOrStranger(of: id) else { return false }
      shared.arrivals.append(Job(address: address, kind: kind, task: task, id: id))
      if shared.escape == nil { shared.escape = .thread(of: shared.tasks.subject(id)) }
      return true
    }
    if isOurs { wake() }
    return isOurs
  }

  /// Runs user code of the world: the system answers from the world, and a step that does not end is found.
  ///
  /// - Parameter task: the number of the task; 0 for the turn of an actor, and -1 for a rule.
  func runningUserCode<Result>(of task: Int, _ body: () -> Result) -> Result {
    watch.whileRunning(task) { Self.simulatingSystem(body) }
  }

  /// The failure of a world in which a step does not end; 0 stands for the turn of an actor, and -1 for a rule.
  func failure(ofStep task: Int, _ verdict: StepLimit.Verdict, after seconds: Double) -> WorldFailure {
    let subject = task < 0 ? "a rule of the world" : shared.withLock { "\($0.tasks.subject(number: task))" }
    return WorldFailure(verdict == .computes ? .stepComputes : .stepBlocks, by: subject, "\(Duration.seconds(seconds))")
  }

  // MARK: Escapes

  /// The first way in which work left the world.
  var escape: Escape? { shared.withLock { $0.escape } }

  /// Takes what came back from other threads, and what waits for a time, so that the world can be brought to its end.
  func admitLast() {
    ready += shared.withLock { shared in
      defer { shared.arrivals = [] }
      return shared.arrivals
    }
    ready += delayed.takeAll() + nodes.takeStopped()
    endPauses(at: .max)
  }

  /// Waits, in real time, for something to come from another thread; false if nothing came in time, or nothing can come.
  func waitForArrival() -> Bool {
    shared.withLock { !$0.arrivals.isEmpty } || hasTouchedOutside && arrival.wait(seconds: patience)
  }

  /// Ends the wait for what comes from another thread.
  func wake() {
    arrival.signal()
  }

  /// Takes out the jobs of a life.
  func take(_ life: NodeTasks.Life) -> [Job] {
    let taken = ready.filter { $0.life == life }
    pastSteps += taken.map(\.step).filter { $0.done > 0 }
    ready.removeAll { $0.life == life }
    return taken + delayed.take(life)
  }

  // MARK: Time

  /// The next time of a clock of the system for which a task sleeps; nil if none does.
  var nextDeadline: TestClock.Instant? { delayed.next }

  /// The number of tasks that sleep on a clock of the system.
  var sleepers: Int { delayed.count }

  /// Marks the jobs whose time has come as ready.
  func admitDue(at now: TestClock.Instant) { ready += delayed.due(at: now) }

  // MARK: Running

  /// Takes the job at an index out, which those before it give way to, and runs it up to its next suspension.
  func run(at index: Int) -> Job {
    let job = ready.take(at: index)
    if job.step.done > 0 { pastSteps.append(job.step) }
    running = (job.task, job.id, job.life)
    defer { running = (0, 0, 0) }
    if job.isOfMainActor {
      runOnMainThread(job)
    } else {
      runningUserCode(of: job.task) { millrace_run_job(job.address) }
    }
    return job
  }
}

extension UnownedJob {
  init(_ job: WorldRuntime.Job) {
    self = unsafeBitCast(job.address, to: UnownedJob.self)
  }
}
