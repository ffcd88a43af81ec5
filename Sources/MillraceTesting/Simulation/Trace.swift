/// The events of one world, a line for each.
///
/// A line has the task and the event. A line with the time comes before the events of that time.
struct Trace: Sendable {
  private(set) var lines: [String] = []
  private var time: Duration?

  /// A draw in words.
  struct Draw: Sendable {
    let task: String
    let value: String
  }

  /// The names of the task that ran at a step, and of the one that would have run by another decision.
  struct Decision: Sendable {
    let step: Int
    let ran: String
    let other: String
  }

  private(set) var drawn: [SimulationPlan.Place: Draw] = [:]

  /// By the steps that gave way, the decision to which each of them did so first.
  private(set) var gaveWay: [SimulationPlan.Place: Decision] = [:]

  /// The steps that ran although another one was ready, in their order; the other one would run if this one gave way.
  private(set) var ran: [(place: SimulationPlan.Place, decision: Decision)] = []

  /// The number of lines that are kept; a world that goes round in circles has the first ones.
  private static let limit = 100_000

  mutating func note(_ draw: Draw, at place: SimulationPlan.Place) { drawn[place] = draw }

  /// A job that is ready.
  struct Ready: Sendable {
    let place: SimulationPlan.Place
    let name: String
    /// Whether it gives way by the plan.
    let isDue: Bool
  }

  /// Notes the decision of a step among jobs, of which one runs.
  mutating func note(step: Int, _ choice: Int, among jobs: [Ready]) {
    let name = jobs[choice].name
    for earlier in jobs[..<choice] where gaveWay[earlier.place] == nil {
      gaveWay[earlier.place] = Decision(step: step, ran: name, other: earlier.name)
    }
    guard let next = jobs[(choice + 1)...].first(where: { !$0.isDue }) else { return }
    ran.append((jobs[choice].place, Decision(step: step, ran: name, other: next.name)))
  }

  mutating func add(_ event: String, at time: Duration, by task: String?) {
    guard lines.count < Self.limit else { return }
    if self.time != time { lines.append("\(time):") }
    let subject = task.map { "\($0): " } ?? ""
    let parts = event.split(separator: "\n", omittingEmptySubsequences: false)
    lines.append("  \(subject)\(parts[0])")
    lines += parts.dropFirst().map { "    \($0)" }
    self.time = time
  }
}

extension World {
  /// Keeps an event of the task that runs, if events are kept.
  func trace(_ event: () -> String) {
    if isTraced { trace(by: queue.isOwnedHere ? queue.runningLabel : "another thread", event) }
  }

  /// Keeps an event, if events are kept.
  func trace(by task: String?, _ event: () -> String) {
    guard isTraced else { return }
    let (text, time) = (event(), clock.now.offset)
    // What comes after the failure is no part of its story.
    withRecord { if $0.failure == nil { $0.trace?.add(text, at: time, by: task) } }
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
    let draw = Trace.Draw(task: queue.label(task), value: value())
    let place = queue.place(number, of: task)
    withRecord { $0.trace?.note(draw, at: place) }
  }

  func traceSleep(until deadline: TestClock.Instant) {
    trace { "sleeps until \(deadline.offset)" }
  }

  /// Keeps which of the ready tasks continues, unless there is one alone.
  func traceStep(_ choice: Int) {
    guard queue.ready.count > 1 else { return }
    let jobs = queue.ready.map { job in
      let place = queue.place(Int(job.step.number), of: Int(job.step.task))
      return Trace.Ready(place: place, name: queue.label(job.task), isDue: job.step.isDue)
    }
    let others = jobs.enumerated().filter { $0.offset != choice }.map(\.element.name)
    let step = withRecord { content in
      content.trace?.note(step: content.choices.stepCount - 1, choice, among: jobs)
      return content.choices.stepCount - 1
    }
    trace(by: jobs[choice].name) {
      "continues in step \(step); ready too: \(others.prefix(6).joined(separator: ", "))\(others.count > 6 ? ", …" : "")"
    }
  }
}
