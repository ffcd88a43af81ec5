import Dispatch

/// Runs the tasks that prefer it one piece at a time, in the order in which they became ready.
///
/// A resumed continuation passes through the executor of its task before it continues. Two tasks that share a default
/// actor do not keep the order in which they were resumed; two tasks that share this executor do.
final class SerialTaskExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "millrace.testing.serial")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
