/// The jobs that are to run when a time of a clock of the system has come, which in a world is a time of the world's clock.
struct DelayedJobs {
  private struct Delayed {
    let job: JobQueue.Job
    /// Nil if the time never comes.
    let deadline: TestClock.Instant?

    func isDue(at now: TestClock.Instant) -> Bool { deadline.map { $0 <= now } ?? false }
  }

  private var delayed: [Delayed] = []

  var count: Int { delayed.count }

  /// The next deadline; nil if there is none.
  var next: TestClock.Instant? { delayed.lazy.compactMap(\.deadline).min() }

  mutating func add(_ job: JobQueue.Job, at deadline: TestClock.Instant?) {
    delayed.append(Delayed(job: job, deadline: deadline))
  }

  /// Takes out the jobs that are due, the earlier deadline first.
  mutating func due(at now: TestClock.Instant) -> [JobQueue.Job] {
    guard delayed.contains(where: { $0.isDue(at: now) }) else { return [] }
    let due = delayed.filter { $0.isDue(at: now) }.sorted { ($0.deadline ?? now) < ($1.deadline ?? now) }
    delayed.removeAll { $0.isDue(at: now) }
    return due.map(\.job)
  }

  /// Takes out the jobs of a life that has ended.
  mutating func take(_ life: NodeTasks.Life) -> [JobQueue.Job] {
    defer { delayed.removeAll { $0.job.life == life } }
    return delayed.map(\.job).filter { $0.life == life }
  }

  /// Takes all out, whatever the time is.
  mutating func takeAll() -> [JobQueue.Job] {
    defer { delayed = [] }
    return delayed.map(\.job)
  }
}
