import Millrace

#if canImport(Testing)
  import Testing
#endif

/// One world, from its beginning to its end; begun in the caller's task, and run on a thread of worlds.
struct WorldRun {
  /// The result of a world.
  struct Result: Sendable {
    let plan: Simulation.Plan
    let failure: WorldFailure?
    /// The plan that has all its choices in it, and no others, if it failed; otherwise its own plan.
    let made: Simulation.Plan
    /// The number of steps.
    let steps: Int
    /// The rule that chose the steps; nil if the plan named them.
    var rule: ChoiceRule.Kind?
    /// All choices with their alternatives; nil outside an exhaustive search.
    var path: ChoicePath?
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
  ///   - patience: the time for which a world without a ready task waits for another thread, in seconds.
  func callAsFunction(
    _ plan: Simulation.Plan, isTraced: Bool = false, patience: Double = 2
  ) async -> Result {
    let world = World(Choices(plan), origin: origin, isTraced: isTraced, patience: patience)
    let task = world.runtime.adopt { begin(world) }
    return await threads.run(world, limit: origin.stepSeconds, isAlone: isAlone) { watch in
      CrashNotice(plan: plan, origin: origin).whileRunning(in: world.runtime) {
        world.runtime.own(watchedBy: watch) {
          if world.runtime.noteBeginning({ Task.detached {} }) {
            go(world)
          } else {
            world.fail(WorldFailure(.noHooks))
          }
          world.checkEnd()
          // What comes after that is not of the world any more.
          var result = Result(world)
          if world.isTraced, result.failure?.isAboutTheEnd == true {
            (result.openActions, result.awaits) = (world.openActions, world.runtime.awaits)
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
      world.runtime.endPauses(at: steps)
      if world.runtime.sleepers > 0 { world.runtime.admitDue(at: world.clock.now) }
      if !world.runtime.ready.isEmpty {
        if steps >= origin.maximumSteps {
          return world.fail(WorldFailure(.doesNotEnd, "\(origin.maximumSteps)"))
        }
        steps += 1
        world.step()
      } else if world.withRecord({ $0.isBodyOver }), !world.runtime.hasPauses {
        return
      } else if let deadline = [world.clock.deadlines.first, world.runtime.nextDeadline].compactMap(\.self).min() {
        world.trace(by: .world) { "the time moves to \(deadline.offset)" }
        world.clock.advance(to: deadline)
      } else if world.runtime.endNextPause() {
        continue
      } else if !world.runtime.waitForArrival() {
        // It may have been that what another thread does is under way, which is worth a better word than that nothing happens.
        return world.fail(WorldFailure(.standsStill))
      }
      if let escape = world.runtime.escape { world.fail(WorldFailure(escape)) }
    }
  }

  /// Cancels what is left and lets it come to its end, as far as it does; gives what does not.
  private func clear(_ world: World, _ body: Task<Void, Never>) -> [String] {
    body.cancel()
    world.runtime.endNodes()
    for node in world.withRecord({ $0.nodes.values }) { node.cancel() }
    var steps = 0
    for _ in 0..<Self.lastRounds {
      world.cancelStores()
      world.clock.cancelSleepers()
      world.runtime.admitLast()
      if world.runtime.ready.isEmpty { break }
      while !world.runtime.ready.isEmpty, steps < Self.lastSteps {
        _ = world.runtime.run(at: 0)
        steps += 1
      }
    }
    return world.leftOver
  }
}

extension WorldFailure {
  fileprivate init(_ escape: WorldRuntime.Escape) {
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
      let line = sourceLocation.map { "\($0.fileName):\($0.line): " } ?? ""
      let comments = comments.map { " (\($0))" }.joined()
      return "\(line)\(kind)\(comments)"
    }
  }
#endif

extension WorldRun.Result {
  init(_ world: World) {
    let time = world.clock.now.offset
    self = world.withRecord { content in
      let choices = content.choices
      var trace = content.trace ?? Trace()
      if content.trace != nil { trace.names = world.runtime.labels }
      return Self(
        plan: choices.plan, failure: content.failure,
        made: content.failure == nil ? choices.plan : world.runtime.made(choices), steps: choices.stepCount,
        rule: choices.rule?.kind, path: choices.path, notes: content.notes,
        trace: trace, time: time, fingerprint: content.fingerprint.value)
    }
  }
}

/// Runs a world.
extension World {
  /// The failure of the world, or nil.
  var failure: WorldFailure? { withRecord { $0.failure } }

  /// Runs one of the jobs that are ready, the plan says which, and checks what has to hold after it.
  func step() {
    let (planned, ready) = (runtime.plannedIndex, runtime.ready.count)
    let choice = withRecord { $0.choices.step(among: runtime.ready.lazy.map(\.task), planned: planned) }
    if isTraced { traceStep(choice) }
    let job = runtime.run(at: choice)
    if runtime.ready.count >= ready {
      for yielding in runtime.ready[(ready - 1)...] where yielding.yields {
        withRecord { $0.choices.yielded(yielding.task) }
      }
    }
    let asked = withRecord { content -> Invariants? in
      content.fingerprint.add(choice)
      content.fingerprint.add(job.task)
      return content.invariants.asksNothing || content.failure != nil ? nil : content.invariants
    }
    if let asked { note(runtime.runningUserCode(of: -1) { asked.afterStep(at: clock.now) }) }
  }

  /// Notes a commit of one of its stores, and checks what has to hold after it.
  func noteCommit(_ mutation: String, revision: Int, state: some Sendable, identity: AnyObject, of interactor: String) {
    if !runtime.isOwnedHere { return fail(WorldFailure(.commitEscaped, interactor)) }
    let asked = withRecord { content -> Invariants? in
      content.fingerprint.add(revision)
      content.fingerprint.add(mutation)
      return content.invariants.asksNothing || content.failure != nil ? nil : content.invariants
    }
    if let asked { note(asked.afterCommit(of: state, identity: identity, at: clock.now)) }
  }

  private func note(_ verdict: (broken: WorldFailure?, met: Set<Int>)) {
    if let broken = verdict.broken { fail(broken) }
    if !verdict.met.isEmpty { watch { $0.meet(verdict.met) } }
  }

  /// Checks the rules for the end, and releases what the test asked for: a fake that is released with its store may fail too.
  func checkEnd() {
    let asked = withRecord { content in
      defer { content.invariants = Invariants() }
      return content.invariants
    }
    if failure == nil, let broken = runtime.runningUserCode(of: -1, { asked.brokenAtTheEnd() }) { fail(broken) }
  }

  /// Releases what the test has asked for, and cancels what its stores have accepted.
  func cancelStores() {
    let (invariants, cancellations) = withRecord { content in
      defer { content.invariants = Invariants() }
      return (content.invariants, content.cancellations)
    }
    // The stores that it held go first.
    withExtendedLifetime(invariants) {}
    for cancel in cancellations { cancel() }
  }

  /// The actions of its stores that have not ended.
  var openActions: [OpenAction] { withRecord { $0.openActions }.flatMap { $0() } }

  /// The tasks that have not ended after all were cancelled.
  var leftOver: [String] {
    let (isBodyOver, handlers) = withRecord { content in
      (content.isBodyOver, content.handlers.sorted { $0.key < $1.key }.map(\.value))
    }
    var names = isBodyOver ? [] : ["the body"]
    names += handlers.map { $0() }
    names += Array(repeating: "a task that continues for ever", count: runtime.ready.count)
    names += Array(repeating: "a task that sleeps again and again", count: clock.sleepers + runtime.sleepers)
    return names
  }
}
