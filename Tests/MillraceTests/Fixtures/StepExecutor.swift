@testable import Millrace

/// Runs the tasks that prefer it when a test says so, on the test's thread; so a test knows when a task was woken.
final class StepExecutor: TaskExecutor {
  private let jobs = Lock<[UnownedJob]>([])

  /// The number of tasks that are ready to run.
  var ready: Int { jobs.withLock { $0.count } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs tasks until none is ready.
  func run() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
