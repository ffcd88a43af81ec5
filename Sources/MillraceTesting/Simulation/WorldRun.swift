import Millrace
import Testing

/// One world, from its beginning to its end; begun in the caller's task, and run on a thread of its own.
struct WorldRun {
  typealias Body = @Sendable (World) async throws -> Void

  /// What became of a world.
  struct Result: Sendable {
    let failure: WorldFailure?
    /// The plan that has all its choices in it, and no others.
    let made: SimulationPlan
    /// How many jobs there were to choose from at each step.
    let widths: [Int]
    let notes: [String]
    /// The time that had passed in it.
    let time: Duration
    /// A number that stands for all that happened, in its order.
    let fingerprint: UInt64
  }

  /// How often the time moves on, after the end, for what is left.
  private static let lastRounds = 32

  /// There is one world at a time in a process.
  private static let turn = Lock(())

  let maximumSteps: Int
  let body: Body

  /// Runs the world of a plan on a thread of its own, with a body that belongs to the calling task's test.
  ///
  /// - Parameter patience: how long a world that stands still waits for what may come from another thread, in seconds.
  func callAsFunction(_ plan: SimulationPlan, patience: Double = 2) async -> Result {
    let world = World(plan)
    world.queue.adopt { begin(world) }
    return await ThreadSignal.onThread {
      Self.turn.withLock { _ in
        var result = Result(world)
        world.queue.own {
          go(world, patience)
          world.checkEnd()
          // What comes after that is not of the world any more.
          result = Result(world)
          clear(world)
        }
        return result
      }
    }
  }

  /// Enqueues the body; it inherits the test, so that its expectations are known to belong there.
  private func begin(_ world: World) {
    let body = body
    Task {
      let collector = FailureCollector { failure in
        world.fail(WorldFailure(.failure, failure.message, file: failure.file, line: failure.line))
      }
      await FailureReporter.$collector.withValue(collector) {
        await Self.catchingIssues(world) {
          do {
            try await body(world)
          } catch {
            world.fail(WorldFailure(.bodyThrew, "\(error)"))
          }
        }
      }
      world.isBodyOver = true
    }
  }

  /// Takes the issues that expectations record in the body for failures of the world; the test has that of the simulation.
  private static func catchingIssues(_ world: World, _ body: () async -> Void) async {
    guard Test.current != nil else { return await body() }
    await withKnownIssue(isIntermittent: true) {
      await body()
    } matching: { issue in
      world.fail(WorldFailure(.issue, issue.inWords))
      return true
    }
  }

  /// Runs the world until the body has returned and nothing is ready, or something is wrong.
  private func go(_ world: World, _ patience: Double) {
    while world.failure == nil {
      if world.queue.ready.isEmpty {
        if world.isBodyOver { return }
        if let deadline = world.clock.deadlines.first {
          world.clock.advance(to: deadline)
        } else {
          // It may be that what another thread does is under way, which is worth a better word than that nothing happens.
          let cameBack = world.queue.waitForArrival(seconds: patience)
          if !cameBack { world.fail(WorldFailure(.standsStill)) }
        }
      } else {
        world.step()
        world.check()
        if world.choices.widths.count >= maximumSteps { world.fail(WorldFailure(.doesNotEnd, "\(maximumSteps)")) }
      }
      if let escape = world.queue.escape { world.fail(WorldFailure(escape)) }
    }
  }

  /// Lets what is left come to its end, as far as it does; none of it counts.
  private func clear(_ world: World) {
    for _ in 0..<Self.lastRounds {
      world.queue.admitArrivals()
      var steps = 0
      while !world.queue.ready.isEmpty, steps < maximumSteps {
        _ = world.queue.run(at: 0)
        steps += 1
      }
      guard world.clock.deadlines.first != nil else { return }
      world.clock.run()
    }
  }
}

extension WorldFailure {
  fileprivate init(_ escape: JobQueue.Escape) {
    switch escape {
    case .sleep(let task): self.init(.sleepEscaped, Self.subject(task))
    case .thread(let task): self.init(.threadEscaped, Self.subject(task))
    }
  }

  private static func subject(_ task: Int) -> String {
    task == 0 ? "an actor of the world" : "task \(task) of the world"
  }
}

extension Issue {
  /// Where it is, what was expected, and what is said of it.
  fileprivate var inWords: String {
    let place = sourceLocation.map { "\($0.fileName):\($0.line): " } ?? ""
    let comments = comments.map { " (\($0))" }.joined()
    return "\(place)\(kind)\(comments)"
  }
}

extension WorldRun.Result {
  fileprivate init(_ world: World) {
    self.init(
      failure: world.failure, made: world.choices.made, widths: world.choices.widths, notes: world.notes,
      time: world.clock.now.offset, fingerprint: world.steps.value)
  }
}
