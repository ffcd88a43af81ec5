/// Runs a scenario under a scheduler with a seed, so that each seed is one interleaving, the same each time.
///
/// ```swift
/// await Simulation.run(seeds: 0..<1_000) { world in
///   let store = Store(
///     initial: Records.State(), interactor: Records(gateway: FakeRecords()), configuration: world.configuration)
///   world.always("nothing is loaded twice", of: store) { $0.loads <= 1 }
///   for action in world.actions(20, from: [.reload, .clear]) { store.send(action) }
/// }
/// ```
///
/// The store, its handlers, `Task {}` in them, fakes and time are as in production, but for the choice of the next step:
/// the scheduler takes all that tasks of the world enqueue, and runs it on one thread. A failing seed is shrunk, and reported as
/// a failure of the test at the caller's line, with its story and all that is needed to run it again. A trap, which ends the process
/// before that, leaves a line on standard error that names the world.
///
/// **Choice.** Three seeds in a row choose the task that continues in three ways: each task as likely as the others, with a random weight for
/// each task, and by random priorities that change at a few steps.
///
/// **Isolation.** Worlds run one at a time in a process, also worlds of several simulations. `MILLRACE_WORKERS=4` in the environment lets four run side
/// by side, each on a thread of its own; worlds that use the main actor still run one after the other, and a failing world is run again alone
/// before it is reported. Other tasks of the process continue meanwhile, untouched. What works on another thread (a thread, a dispatch
/// queue, a socket) does not belong in a world, and fails the seed.
///
/// **Cancellation** of the calling task ends it after the world that runs.
public enum Simulation {
  /// The body of a world.
  public typealias Body = @Sendable (World) async throws -> Void

  /// The largest number of steps of a world unless a test says otherwise.
  public static let maximumSteps = 1_000_000

  /// The failures after which a simulation ends.
  public enum Failures: Sendable {
    /// The first one ends it.
    case first
    /// None ends it. Each that is of another kind, or breaks another rule, than those before is made smaller and reported.
    case distinct
  }

  /// The settings of a simulation that most calls leave as they are.
  ///
  /// ```swift
  /// await Simulation.run(seeds: 0..<1_000, options: .init(failures: .distinct, hops: .all)) { world in … }
  /// ```
  public struct Options: Sendable {
    /// The failures after which the simulation ends; the first one unless set.
    public var failures: Failures

    /// Whether a failure fails the test; true unless set.
    ///
    /// If it is false, only the report has the failures.
    public var reporting: Bool

    /// A folder of plans that failed before; nil, unless set, keeps no plans.
    ///
    /// These plans run first, and a new failing plan is written into the folder. A relative path begins at the folder of the test's file.
    public var plans: String?

    /// The largest number of steps of one world; ``Simulation/maximumSteps`` unless set.
    public var maximumSteps: Int

    /// The largest number of smaller plans of a failing world that are tried; 1,000 unless set.
    public var shrinkingAttempts: Int

    /// The ways to an actor and from it at which another task may go first; calls of idle actors unless set.
    public var hops: Hops

    /// The work on other threads that fails no world; empty unless set.
    public var allowing: Outside

    /// Creates options; each one that is left out has its default.
    public init(
      failures: Failures = .first, reporting: Bool = true, plans: String? = nil,
      maximumSteps: Int = Simulation.maximumSteps, shrinkingAttempts: Int = 1_000, hops: Hops = .actors,
      allowing: Outside = []
    ) {
      self.failures = failures
      self.reporting = reporting
      self.plans = plans
      self.maximumSteps = maximumSteps
      self.shrinkingAttempts = shrinkingAttempts
      self.hops = hops
      self.allowing = allowing
    }
  }

  /// Runs a world for each seed, until one fails; that one is shrunk and reported.
  ///
  /// The environment may give another size to all calls of this function in a process: `MILLRACE_SEEDS=0..<100000` are the seeds,
  /// `MILLRACE_SECONDS=600` is the time of each call, and `MILLRACE_BASE_SEED=20270131` is added to each seed, so that a nightly run has other
  /// seeds each night. Standard error then has a line with the size.
  ///
  /// - Parameters:
  ///   - seeds: the seeds to run; none fails the test.
  ///   - time: The longest time, in real time; nil gives time for all seeds. At least one world runs, and one that has begun ends.
  ///   - options: the end of the simulation, its report, and the rules of its worlds.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  ///   - body: the body of each world.
  /// - Returns: The worlds that ran, and the plan that fails, if one does. When the task is cancelled no further world begins.
  @discardableResult
  public static func run(
    seeds: Range<UInt64>, for time: Duration? = nil, options: Options = Options(),
    file: StaticString = #filePath, line: UInt = #line, _ body: @escaping Body
  ) async -> Simulation.Report {
    var search = Search(
      origin: SimulationOrigin(options, file: file, line: line), shrinkingAttempts: options.shrinkingAttempts,
      failures: options.failures, isReporting: options.reporting,
      kept: options.plans.map { KeptPlans($0, besides: file) }, body: body)
    let seeds = await search.setSize(seeds, for: time)
    if seeds.isEmpty {
      await search.fail(
        "There is no seed in \(seeds), so nothing was simulated; give a range with at least one, such as 0..<1_000.")
    }
    return await search(seeds.lazy.map { Simulation.Plan(seed: $0) })
  }

  /// Runs the world of one seed, as it was run among others.
  ///
  /// - Parameters:
  ///   - seed: the seed to run.
  ///   - options: The options of the simulation in which the world failed. `failures` and `plans` have no effect.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  ///   - body: the body of the world.
  /// - Returns: The world that ran, and its plan if it fails. When the task is cancelled before, no world runs.
  @discardableResult
  public static func run(
    seed: UInt64, options: Options = Options(), file: StaticString = #filePath, line: UInt = #line,
    _ body: @escaping Body
  ) async -> Simulation.Report {
    let search = Search(
      origin: SimulationOrigin(options, file: file, line: line), shrinkingAttempts: options.shrinkingAttempts,
      isReporting: options.reporting, body: body)
    return await search([Simulation.Plan(seed: seed)])
  }

  /// Runs the world of a plan that a failure has given, without making it smaller.
  ///
  /// - Parameters:
  ///   - plan: the text of the plan; one that is none fails the test.
  ///   - options: The options of the simulation in which the world failed. `failures`, `plans` and `shrinkingAttempts` have no effect.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  ///   - body: the body of the world.
  /// - Returns: The world that ran, and its plan if it fails. When the task is cancelled before, no world runs.
  @discardableResult
  public static func run(
    plan: String, options: Options = Options(), file: StaticString = #filePath, line: UInt = #line,
    _ body: @escaping Body
  ) async -> Simulation.Report {
    let search = Search(
      origin: SimulationOrigin(options, file: file, line: line), shrinkingAttempts: 0,
      isReporting: options.reporting, body: body)
    do {
      return await search([try Simulation.Plan.read(plan)])
    } catch .ofEarlierVersion(let seed) {
      await search.fail(
        """
        '\(plan)' is a plan of an earlier version of Millrace, which counted draws and steps without regard to tasks; run its seed \
        again by Simulation.run(seed: \(seed)), and copy the plan of that failure.
        """)
    } catch {
      await search.fail(
        """
        '\(plan)' is no plan of a simulation; copy the whole text of the failure, such as \
        '417 actions 0,4 draws none steps 1.1.3=2'.
        """)
    }
    return Simulation.Report()
  }

  /// Runs all interleavings of a small scenario that have at most `preemptions` preemptions, those with fewer first.
  ///
  /// A task continues as long as it can, and one that yields lets the others go first. To choose otherwise is a *preemption*. It is none
  /// to choose who continues when a task waits or has ended, and each is chosen in some world. Of what the world draws it runs
  /// each ``World/fault(_:)`` and none, each ``World/element(of:)``, and of each ``World/duration(in:)`` the
  /// shortest and the longest. Actions, and all other random numbers, come from the seed. ``World`` says which work is one step; a
  /// step is not divided.
  ///
  /// - Parameters:
  ///   - preemptions: The largest number of preemptions.
  ///   - seed: The source of actions, and of random numbers that have no alternative.
  ///   - limit: The largest number of worlds; more worlds fail the test.
  ///   - options: The report, and the rules of the worlds. `failures` and `plans` have no effect.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  ///   - body: the body of each world; one that leaves nothing to choose fails the test.
  /// - Returns: The worlds that ran, and the plan that fails, if one does. When the task is cancelled no further world begins.
  @discardableResult
  public static func explore(
    preemptions: Int, seed: UInt64 = 0, limit: Int = 100_000, options: Options = Options(),
    file: StaticString = #filePath, line: UInt = #line, _ body: @escaping Body
  ) async -> Simulation.Report {
    let search = Search(
      origin: SimulationOrigin(options, file: file, line: line), shrinkingAttempts: options.shrinkingAttempts,
      isReporting: options.reporting, body: body)
    var exhaustive = ExhaustiveSearch(seed: seed, preemptions: preemptions, limit: limit)
    let report = await search(isExhaustive: true) { exhaustive.next(after: $0) }
    if exhaustive.isCut {
      await search.fail(
        """
        There are more than \(limit) interleavings with up to \(preemptions) preemptions; explore fewer preemptions, a smaller \
        scenario, or give a higher limit.
        """)
    } else if report.worlds == 1, report.failingPlan == nil, !exhaustive.hadChoice, !Task.isCancelled {
      await search.fail(
        """
        There was nothing to choose in the world of seed \(seed): no two tasks were ready at once, and nothing was drawn, so that one \
        order was run; let tasks run side by side, or draw faults and durations from the world.
        """)
    }
    return report
  }
}

/// The line of a simulation, and what its worlds were given besides their plans.
struct SimulationOrigin: Sendable {
  var maximumSteps = Simulation.maximumSteps
  var hops = Simulation.Hops.actors
  var allowed: Simulation.Outside = []
  /// The longest time for which a step may compute or block, in seconds.
  var stepSeconds = 10.0
  var file: StaticString = ""
  var line: UInt = 0

  /// The file and the line.
  var text: String { "\("\(file)".split(separator: "/").last ?? ""):\(line)" }

  /// The call that runs a plan as it was run here.
  func call(_ plan: Simulation.Plan) -> String {
    let what = plan == Simulation.Plan(seed: plan.seed) ? "seed: \(plan.seed)" : "plan: \"\(plan)\""
    var options: [String] = []
    if maximumSteps != Simulation.maximumSteps { options.append("maximumSteps: \(maximumSteps)") }
    if hops != .actors { options.append("hops: .\(hops)") }
    if !allowed.isEmpty { options.append("allowing: \(allowed)") }
    let text = options.isEmpty ? "" : ", options: .init(\(options.joined(separator: ", ")))"
    return "Simulation.run(\(what)\(text))"
  }
}

extension SimulationOrigin {
  init(_ options: Simulation.Options, file: StaticString, line: UInt) {
    self.init(
      maximumSteps: options.maximumSteps, hops: options.hops, allowed: options.allowing, file: file, line: line)
  }
}
