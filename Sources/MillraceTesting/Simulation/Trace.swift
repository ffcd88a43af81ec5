/// The events of one world, a line for each.
///
/// A line has the task and the event. A line with the time comes before the events of that time.
struct Trace: Sendable {
  private(set) var lines: [String] = []
  private var time: Duration?

  /// The values of the draws, by their numbers, and the tasks that were ready at the steps with a choice.
  private(set) var drawn: [Int: String] = [:]
  private(set) var ready: [Int: [String]] = [:]

  /// The number of lines that are kept; a world that goes round in circles has the first ones.
  private static let limit = 100_000

  mutating func note(draw number: Int, _ value: String) { drawn[number] = value }

  mutating func note(ready tasks: [String], at step: Int) { ready[step] = tasks }

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

  /// Keeps the value of the last draw, if events are kept.
  func traceDraw(_ value: @autoclosure () -> String) {
    guard isTraced else { return }
    let value = value()
    withRecord { $0.trace?.note(draw: $0.choices.drawCount - 1, value) }
    trace { "draws \(value)" }
  }

  func traceSleep(until deadline: TestClock.Instant) {
    trace { "sleeps until \(deadline.offset)" }
  }

  /// Keeps which of the ready tasks continues, unless there is one alone.
  func traceStep(_ choice: Int) {
    guard queue.ready.count > 1 else { return }
    let labels = queue.ready.map { queue.label($0.task) }
    let others = labels.enumerated().filter { $0.offset != choice }.map(\.element)
    let step = withRecord { content in
      content.trace?.note(ready: labels, at: content.choices.stepCount - 1)
      return content.choices.stepCount - 1
    }
    trace(by: labels[choice]) {
      "continues in step \(step); ready too: \(others.prefix(6).joined(separator: ", "))\(others.count > 6 ? ", …" : "")"
    }
  }
}
