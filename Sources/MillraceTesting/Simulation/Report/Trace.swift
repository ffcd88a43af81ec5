import Millrace

/// The events of one world, a line for each.
///
/// A line has the task and the event. A line with the time comes before the events of that time.
struct Trace: Sendable {
  /// The origin of an event.
  enum Source: Sendable {
    /// The number of a task; 0 for the turn of an actor.
    case task(Int)
    case anotherThread
    case world
  }

  /// An event, whose tasks are named when it is read: a task tells its name when it has run.
  private struct Event: Sendable {
    let time: Duration
    let source: Source
    let text: String
    /// The numbers of the tasks that are named behind the text.
    let tasks: [Int]
  }

  private var events: [Event] = []

  /// The names of the tasks, by their numbers.
  var names: [String] = []

  /// A draw in words, and its task.
  struct Draw: Sendable {
    let task: Int
    let value: String
  }

  /// The numbers of the task that ran at a step, and of the one that would have run by another decision.
  struct Decision: Sendable {
    let step: Int
    let ran: Int
    let other: Int
  }

  private(set) var drawn: [Simulation.Plan.Position: Draw] = [:]

  /// By the steps that gave way, the decision to which each of them did so first.
  private(set) var gaveWay: [Simulation.Plan.Position: Decision] = [:]

  /// The steps that ran although another one was ready, in their order; the other one would run if this one gave way.
  private(set) var ran: [(position: Simulation.Plan.Position, decision: Decision)] = []

  /// The number of events that are kept; a world that goes round in circles has the first ones.
  private static let limit = 100_000

  /// The number of tasks that an event names.
  private static let namedTasks = 6

  mutating func note(_ draw: Draw, at position: Simulation.Plan.Position) { drawn[position] = draw }

  /// A job that is ready.
  struct Ready: Sendable {
    let position: Simulation.Plan.Position
    let task: Int
    /// Whether it gives way by the plan.
    let isDue: Bool
  }

  /// Notes the decision of a step among jobs, of which one runs.
  mutating func note(step: Int, _ choice: Int, among jobs: [Ready]) {
    let task = jobs[choice].task
    for earlier in jobs[..<choice] where gaveWay[earlier.position] == nil {
      gaveWay[earlier.position] = Decision(step: step, ran: task, other: earlier.task)
    }
    guard let next = jobs[(choice + 1)...].first(where: { !$0.isDue }) else { return }
    ran.append((jobs[choice].position, Decision(step: step, ran: task, other: next.task)))
  }

  /// - Parameter tasks: The tasks that are named behind the event.
  mutating func add(_ event: String, _ tasks: [Int] = [], at time: Duration, by source: Source) {
    guard events.count < Self.limit else { return }
    events.append(Event(time: time, source: source, text: event, tasks: tasks))
  }

  /// The name of a task.
  func name(of task: Int) -> String { names.indices.contains(task) ? names[task] : "task \(task)" }

  /// The events as lines.
  var lines: [String] {
    var (lines, time): ([String], Duration?) = ([], nil)
    for event in events {
      if time != event.time { lines.append("\(event.time):") }
      time = event.time
      let parts = event.text.split(separator: "\n", omittingEmptySubsequences: false)
      lines.append("  \(name(of: event.source))\(parts[0])\(names(of: event.tasks))")
      lines += parts.dropFirst().map { "    \($0)" }
    }
    return lines
  }

  private func name(of source: Source) -> String {
    switch source {
    case .task(let task): "\(name(of: task)): "
    case .anotherThread: "another thread: "
    case .world: ""
    }
  }

  private func names(of tasks: [Int]) -> String {
    let named = tasks.prefix(Self.namedTasks).map { name(of: $0) }.joined(separator: ", ")
    return tasks.count > Self.namedTasks ? "\(named), …" : named
  }
}

extension World {
  /// Keeps an event of the task that runs, if events are kept.
  ///
  /// - Parameter tasks: The numbers of the tasks that are named behind the event.
  func trace(_ tasks: [Int] = [], _ event: () -> String) {
    guard isTraced else { return }
    trace(tasks, by: runtime.isOwnedHere ? .task(runtime.namedRunningTask) : .anotherThread, event)
  }

  /// Keeps an event, if events are kept.
  func trace(_ tasks: [Int] = [], by source: Trace.Source, _ event: () -> String) {
    guard isTraced else { return }
    let (text, time) = (event(), clock.now.offset)
    // What comes after the failure is no part of its story.
    withRecord { if $0.failure == nil { $0.trace?.add(text, tasks, at: time, by: source) } }
  }

  /// Keeps the value of the last draw, and an event of it, if events are kept.
  func traceDraw(_ value: @autoclosure () -> String) {
    guard isTraced else { return }
    let value = value()
    noteDraw(value)
    trace { "draws \(value)" }
  }

  /// Keeps the value of the last draw, if events are kept.
  func noteDraw(_ value: @autoclosure () -> String) {
    guard isTraced else { return }
    let (task, number) = withRecord { $0.choices.lastDraw }
    let draw = Trace.Draw(task: task, value: value())
    let position = runtime.position(number, of: task)
    withRecord { $0.trace?.note(draw, at: position) }
  }

  func traceSleep(until deadline: TestClock.Instant) {
    trace { "sleeps until \(deadline.offset)" }
  }

  /// Keeps which of the ready tasks continues, unless there is one alone.
  func traceStep(_ choice: Int) {
    guard runtime.ready.count > 1 else { return }
    let jobs = runtime.ready.map { job in
      let position = runtime.position(Int(job.step.number), of: Int(job.step.task))
      return Trace.Ready(position: position, task: job.task, isDue: job.step.isDue)
    }
    let others = jobs.enumerated().filter { $0.offset != choice }.map(\.element.task)
    let step = withRecord { content in
      content.trace?.note(step: content.choices.stepCount - 1, choice, among: jobs)
      return content.choices.stepCount - 1
    }
    trace(others, by: .task(jobs[choice].task)) { "continues in step \(step); ready too: " }
  }
}

/// The record of a world so far; guarded, because escaped work still refers to it.
final class WorldRecord: Sendable {
  struct Content: Sendable {
    var choices: Choices
    var invariants = Invariants()
    var failure: WorldFailure?
    var notes: [String] = []
    /// The events; nil unless they are traced.
    var trace: Trace?
    var fingerprint = Fingerprint()
    var isBodyOver = false
    /// Cancels all that a store of the world has accepted.
    var cancellations: [@Sendable () -> Void] = []
    /// The actions of each store that have not ended.
    var openActions: [@Sendable () -> [OpenAction]] = []
    /// The handlers that have begun and not returned, by their numbers.
    var handlers: [Int: @Sendable () -> String] = [:]
    var lastHandler = 0
    /// By their names.
    var nodes: [String: World.Node] = [:]
    /// Counts the stores that have a number, downwards.
    var lastStore = 0
  }

  private let content: Lock<Content>
  private let runtime: WorldRuntime

  init(_ choices: Choices, _ runtime: WorldRuntime) {
    content = Lock(Content(choices: choices))
    self.runtime = runtime
  }

  /// Reads or changes it; `body` calls nothing of a test.
  func withContent<Result: Sendable>(_ body: (inout Content) -> Result) -> Result {
    content.withLock { body(&$0) }
  }

  /// Keeps the first failure; the others may follow from it.
  func fail(_ failure: WorldFailure) {
    withContent { content in
      if content.failure == nil { content.failure = failure }
    }
    // The world may stand still, and wait for what other threads do.
    if !runtime.isOwnedHere { runtime.wake() }
  }
}
