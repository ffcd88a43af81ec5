import Millrace

#if canImport(Testing)
  import Testing
#endif

/// One world, from its beginning to its end; begun in the caller's task, and run on a thread of worlds.
struct WorldRun {
  /// The result of a world.
  struct Result: Sendable {
    let plan: SimulationPlan
    let failure: WorldFailure?
    /// The plan that has all its choices in it, and no others, if it failed; otherwise its own plan.
    let made: SimulationPlan
    /// The number of steps.
    let steps: Int
    /// The search that chose the steps; nil if the plan named them.
    var search: Search.Kind?
    /// All choices with their alternatives; nil unless they are explored.
    var explored: ExploredChoices?
    let notes: [String]
    /// The events; empty unless they were traced.
    var trace = Trace()
    /// The actions that had not ended, if the failure is one of the end and the events were traced.
    var openActions: [OpenAction] = []
    /// The task that each task awaited last, by their numbers, on the same condition.
    var awaits: [Int: Int] = [:]
    /// The time that had passed in it.
    let time: Duration
    /// A number that stands for all that happened, in its order.
    let fingerprint: UInt64
    /// The tasks that never ended although they were cancelled when the world had ended.
    var leftOver: [String] = []
  }

  /// The number of cancellations of open tasks at the end, and the largest number of steps for them.
  private static let (lastRounds, lastSteps) = (32, 100_000)

  let origin: SimulationOrigin
  var threads = WorldThreads.shared
  /// Whether no other world runs meanwhile.
  var isAlone = false
  let body: Simulation.Body

  /// Runs the world of a plan on a thread of worlds, with a body that belongs to the calling task's test.
  ///
  /// - Parameters:
  ///   - isTraced: whether the events are kept.
  ///   - patience: how long a world that stands still waits for what may come from another thread, in seconds.
  func callAsFunction(
    _ plan: SimulationPlan, isTraced: Bool = false, patience: Double = 2
  ) async -> Result {
    let world = World(Choices(plan), origin: origin, isTraced: isTraced, patience: patience)
    let task = world.queue.adopt { begin(world) }
    return await threads.run(world, limit: origin.stepSeconds, isAlone: isAlone) { watch in
      CrashNotice(plan: plan, origin: origin).whileRunning(in: world.queue) {
        world.queue.own(watchedBy: watch) {
          if world.queue.noteBeginning({ Task.detached {} }) {
            go(world)
          } else {
            world.fail(WorldFailure(.noHooks))
          }
          world.checkEnd()
          // What comes after that is not of the world any more.
          var result = Result(world)
          if world.isTraced, result.failure?.isAboutTheEnd == true {
            (result.openActions, result.awaits) = (world.openActions, world.queue.awaits)
          }
          result.leftOver = clear(world, task)
          return result
        }
      }
    }
  }

  /// Enqueues the body; it inherits the test, so that its expectations are known to belong there.
  private func begin(_ world: World) -> Task<Void, Never> {
    let body = body
    AssertionWatch.begin()
    return Task {
      await FailureReporter.$collector.withValue(world.collector) {
        await Self.catchingIssues(world) {
          do {
            try await body(world)
          } catch {
            world.fail(WorldFailure(thrown: error))
          }
        }
      }
      world.withRecord { $0.isBodyOver = true }
    }
  }

  /// Takes the issues that expectations record in the body for failures of the world; the test has that of the simulation.
  private static func catchingIssues(_ world: World, _ body: () async -> Void) async {
    #if canImport(Testing)
      if Test.current != nil {
        return await withKnownIssue(isIntermittent: true) {
          await body()
        } matching: { issue in
          guard issue.isFailure else { return false }
          world.fail(WorldFailure(.issue, issue.inWords, at: issue.sourceLocation))
          return true
        }
      }
    #endif
    await body()
  }

  /// Runs the world until the body has returned and nothing is ready, or something is wrong.
  private func go(_ world: World) {
    var steps = 0
    while world.failure == nil {
      world.queue.endPauses(at: steps)
      if world.queue.sleepers > 0 { world.queue.admitDue(at: world.clock.now) }
      if !world.queue.ready.isEmpty {
        if steps >= origin.maximumSteps {
          return world.fail(WorldFailure(.doesNotEnd, "\(origin.maximumSteps)"))
        }
        steps += 1
        world.step()
      } else if world.withRecord({ $0.isBodyOver }), !world.queue.hasPauses {
        return
      } else if let deadline = [world.clock.deadlines.first, world.queue.nextDeadline].compactMap(\.self).min() {
        world.trace(by: .world) { "the time moves to \(deadline.offset)" }
        world.clock.advance(to: deadline)
      } else if world.queue.endNextPause() {
        continue
      } else if !world.queue.waitForArrival() {
        // It may have been that what another thread does is under way, which is worth a better word than that nothing happens.
        return world.fail(WorldFailure(.standsStill))
      }
      if let escape = world.queue.escape { world.fail(WorldFailure(escape)) }
    }
  }

  /// Cancels what is left and lets it come to its end, as far as it does; gives what does not.
  private func clear(_ world: World, _ body: Task<Void, Never>) -> [String] {
    body.cancel()
    world.queue.endNodes()
    for node in world.withRecord({ $0.nodes.values }) { node.cancel() }
    var steps = 0
    for _ in 0..<Self.lastRounds {
      world.cancelStores()
      world.clock.cancelSleepers()
      world.queue.admitLast()
      if world.queue.ready.isEmpty { break }
      while !world.queue.ready.isEmpty, steps < Self.lastSteps {
        _ = world.queue.run(at: 0)
        steps += 1
      }
    }
    return world.leftOver
  }
}

extension WorldFailure {
  fileprivate init(_ escape: JobQueue.Escape) {
    switch escape {
    case .sleep(let subject): self.init(.sleepEscaped, "\(subject)")
    case .work(let subject, let function):
      self.init(.workEscaped, by: "\(subject)", Simulation.Outside(function: function).receiver(function))
    case .thread(let subject): self.init(.threadEscaped, "\(subject)")
    case .main(let subject): self.init(.mainIsBusy, "\(subject)")
    }
  }
}

#if canImport(Testing)
  extension Issue {
    /// The source location, the expectation, and its comment.
    fileprivate var inWords: String {
      let place = sourceLocation.map { "\($0.fileName):\($0.line): " } ?? ""
      let comments = comments.map { " (\($0))" }.joined()
      return "\(place)\(kind)\(comments)"
    }
  }
#endif

extension WorldRun.Result {
  init(_ world: World) {
    let time = world.clock.now.offset
    self = world.withRecord { content in
      let choices = content.choices
      var trace = content.trace ?? Trace()
      if content.trace != nil { trace.names = world.queue.labels }
      return Self(
        plan: choices.plan, failure: content.failure,
        made: content.failure == nil ? choices.plan : world.queue.made(choices), steps: choices.stepCount,
        search: choices.search?.kind, explored: choices.explored, notes: content.notes,
        trace: trace, time: time, fingerprint: content.fingerprint.value)
    }
  }
}
