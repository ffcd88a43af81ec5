import Millrace
import MillraceHooks
import Synchronization

/// The jobs of the world that runs: what the runtime is asked to run on its thread comes here, and nowhere else.
///
/// There is one world at a time in a process, with a thread of its own. What that thread enqueues belongs to the world. What
/// another thread enqueues does not, unless it is a task that the world has run: that one has escaped, and came back.
final class JobQueue: @unchecked Sendable {
  /// Something the runtime wants to be run.
  ///
  /// Whoever has it runs it, once; on which thread that is makes no difference to it.
  struct Job: @unchecked Sendable {
    let address: UnsafeRawPointer
    let kind: MillraceJobKind
    /// The task, counted in the order in which the world met them; 0 for the turn of an actor.
    var task = 0
  }

  /// How work of the world got out of it.
  enum Escape {
    /// A task slept on a clock of the system.
    case sleep(task: Int)
    /// Another thread resumed a task.
    case thread(task: Int)
  }

  private struct Shared {
    /// The ids of the tasks that the world has met, and their numbers.
    var tasks: [UInt64: Int] = [:]
    /// What came back from other threads.
    var arrivals: [Job] = []
    var escape: Escape?
  }

  /// What other threads see of it.
  private let shared = Lock(Shared())
  private let arrival = ThreadSignal()

  /// What is ready to run, in the order in which it came; the world's thread alone uses it.
  private(set) var ready: [Job] = []

  /// The task that runs; 0 for the turn of an actor.
  private var runningTask = 0

  /// Whether there is a world, so that a job from another thread is looked at.
  private static let isActive = Atomic(false)
  private static let current = Lock<JobQueue?>(nil)

  /// Makes the calling thread the one of the world, as long as `body` runs.
  func own(_ body: () -> Void) {
    Self.current.withLock { $0 = self }
    Self.isActive.store(true, ordering: .sequentiallyConsistent)
    adopt(body)
    Self.isActive.store(false, ordering: .sequentiallyConsistent)
    Self.current.withLock { $0 = nil }
  }

  /// Takes what the calling thread enqueues in `body`, before the world has a thread.
  func adopt(_ body: () -> Void) {
    millrace_install_hooks { address, kind in JobQueue.take(address, kind) }
    let earlier = millrace_thread_value()
    millrace_set_thread_value(Unmanaged.passUnretained(self).toOpaque())
    body()
    millrace_set_thread_value(earlier)
  }

  /// Whether the calling thread is the one of a world.
  static var isOwnedByThisThread: Bool { millrace_thread_value() != nil }

  /// What the runtime asks on every thread of the process: whether the job is taken.
  private static func take(_ address: UnsafeRawPointer, _ kind: MillraceJobKind) -> Bool {
    if let queue = millrace_thread_value() {
      Unmanaged<JobQueue>.fromOpaque(queue).takeUnretainedValue().add(address, kind)
      return true
    }
    guard isActive.load(ordering: .acquiring) else { return false }
    return current.withLock { $0 }?.arrive(address, kind) ?? false
  }

  /// The world's own thread has a job.
  private func add(_ address: UnsafeRawPointer, _ kind: MillraceJobKind) {
    let id = millrace_task_id(address)
    let task = shared.withLock { shared in
      let task = Self.number(id, &shared.tasks)
      if kind == MillraceJobDelayed, shared.escape == nil { shared.escape = .sleep(task: runningTask) }
      return task
    }
    ready.append(Job(address: address, kind: kind, task: task))
  }

  /// Another thread has a job, which may be a task of the world.
  private func arrive(_ address: UnsafeRawPointer, _ kind: MillraceJobKind) -> Bool {
    let id = millrace_task_id(address)
    let job = Job(address: address, kind: kind)
    let isOurs = shared.withLock { shared in
      guard let task = shared.tasks[id] else { return false }
      shared.arrivals.append(job)
      shared.arrivals[shared.arrivals.count - 1].task = task
      if shared.escape == nil { shared.escape = .thread(task: task) }
      return true
    }
    if isOurs { arrival.signal() }
    return isOurs
  }

  private static func number(_ id: UInt64, _ tasks: inout [UInt64: Int]) -> Int {
    guard id != 0 else { return 0 }
    if let task = tasks[id] { return task }
    tasks[id] = tasks.count + 1
    return tasks.count
  }

  /// How work got out of the world, first of all.
  var escape: Escape? { shared.withLock { $0.escape } }

  /// Takes what came back from other threads, so that the world can be brought to its end.
  func admitArrivals() {
    ready += shared.withLock { shared in
      defer { shared.arrivals = [] }
      return shared.arrivals
    }
  }

  /// Waits, in real time, for a job from another thread; false if none came in time.
  func waitForArrival(seconds: Double) -> Bool {
    shared.withLock { !$0.arrivals.isEmpty } || arrival.wait(seconds: seconds)
  }

  /// Takes the job at a place out, and runs it up to its next suspension.
  func run(at index: Int) -> Job {
    let job = ready.remove(at: index)
    runningTask = job.task
    if job.kind == MillraceJobMain {
      unsafeBitCast(job.address, to: UnownedJob.self).runSynchronously(on: MainActor.sharedUnownedExecutor)
    } else {
      millrace_run_job(job.address)
    }
    return job
  }
}
