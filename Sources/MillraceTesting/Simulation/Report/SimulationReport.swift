import Foundation
import Millrace

extension Simulation {
  /// The size of a simulation.
  public struct Report: Sendable {
    /// The number of worlds, without the runs that made a failing one smaller.
    public private(set) var worlds = 0

    /// The number of steps of all worlds.
    public private(set) var steps = 0

    /// A number for everything that happened in all of them, in its order: the task of each step, each commit with its
    /// mutation as text, and each note.
    ///
    /// It is the same for the same seeds, in each process too, unless a text differs: with sets and dictionaries in it, set
    /// `SWIFT_DETERMINISTIC_HASHING=1` in the environment; ids of spans, which differ between processes, leave out.
    public var fingerprint: UInt64 { sum.value }

    /// A world that failed.
    public struct Failure: Sendable, CustomStringConvertible {
      /// The plan that fails, as small as it could be made.
      public let plan: Simulation.Plan

      /// The failure in one sentence, without its end.
      public let sentence: String

      /// The whole text that a test fails with: the ways to run the world again, and its events.
      public let description: String
    }

    /// The failures, each of another kind or at another line, in the order of their worlds.
    public internal(set) var failures: [Failure] = []

    /// The plan of the first failure, as small as it could be made; nil if no world failed.
    public var failingPlan: Simulation.Plan? { failures.first?.plan }

    /// The number of tasks that never ended although they were cancelled with their worlds; their memory is not freed.
    ///
    /// These are bodies, handlers of stores that have the world's configuration, and tasks that continue without regard to their
    /// cancellation. A task that waits for something of its own that never comes is not known.
    public private(set) var leftOverTasks = 0

    /// The same in words, a sentence a world, for the first ten worlds that have any.
    public private(set) var leftOvers: [String] = []

    private var sum = Fingerprint()

    mutating func count(_ result: WorldRun.Result) {
      worlds += 1
      steps += result.steps
      sum.add(Int(bitPattern: UInt(result.fingerprint)))
      leftOverTasks += result.leftOver.count
      if leftOvers.count < 10, let sentence = result.leftOverSentence { leftOvers.append(sentence) }
    }
  }
}

/// The story of a failing world: its events, the state that broke the rule, and the nearest plan that passes.
struct SimulationStory: Sendable {
  /// A plan that passes, and its difference from the one that fails.
  struct Passing: Sendable {
    let plan: Simulation.Plan
    let difference: String
  }

  /// The events, a line for each.
  let events: [String]
  /// The parts of the state that broke the rule; empty if it is about no state.
  let state: [String]
  /// The actions that had not ended, if the failure is one of the end.
  var openActions: [OpenAction] = []
  /// The actions or tasks that wait for one another, if there are any.
  var deadlock: Deadlock?
  /// Nil if none was found.
  let passing: Passing?

  /// The number of lines of events in the text of a failure.
  static let shownEvents = 40

  /// The lines in the text of a failure; those for which there is no room are in a file, which they name.
  func lines(seed: UInt64) -> [String] {
    var lines: [String] = []
    if !events.isEmpty {
      lines.append("Its events, with the time of the world:")
      let hidden = events.count - Self.shownEvents
      if hidden > 0 {
        lines.append("  … \(hidden) lines before these\(file(seed: seed).map { "; all are in \($0)" } ?? "")")
      }
      lines += events.suffix(Self.shownEvents).map { "  \($0)" }
    }
    if !openActions.isEmpty { lines += ["These have not ended:"] + openActions.prefix(20).map { "  \($0)" } }
    if !state.isEmpty { lines += ["The state that broke the rule:"] + state.map { "  \($0)" } }
    return lines
  }

  /// Writes all events to a file, and returns its path; nil if it cannot be written.
  private func file(seed: UInt64) -> String? {
    let name = "millrace-seed-\(seed)-\(ProcessInfo.processInfo.processIdentifier)-\(UInt32.random(in: 0 ... .max)).txt"
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    let text = events.joined(separator: "\n") + "\n"
    return (try? text.write(to: file, atomically: true, encoding: .utf8)).map { file.path }
  }
}

extension Simulation.Plan {
  /// The plans that differ from this one in a single decision, with the difference in words.
  ///
  /// The plans with one choice less come first, then the plans in which another job runs at one step.
  ///
  /// - Parameter trace: the events of its world, which have the names of tasks and the values of draws.
  func neighbours(_ trace: Trace) -> [SimulationStory.Passing] {
    var neighbours: [SimulationStory.Passing] = []
    func add(_ difference: String, _ change: (inout Simulation.Plan) -> Void) {
      var plan = self
      change(&plan)
      neighbours.append(SimulationStory.Passing(plan: plan, difference: difference))
    }
    let gaveWay = (steps ?? [:]).keys.compactMap { position in trace.gaveWay[position].map { (position, $0) } }
    func difference(_ decision: Trace.Decision) -> String {
      "in step \(decision.step) \(trace.name(of: decision.other)) continues, not \(trace.name(of: decision.ran))"
    }
    for (position, decision) in gaveWay.sorted(by: { ($0.1.step, $0.0) < ($1.1.step, $1.0) }) {
      add(difference(decision)) { $0.steps?[position] = nil }
    }
    for position in (draws ?? [:]).keys.sorted() {
      guard let draw = trace.drawn[position] else { continue }
      add("\(trace.name(of: draw.task)) draws the least there is, not \(draw.value)") { $0.draws?[position] = nil }
    }
    for (position, decision) in trace.ran.prefix(200) {
      add(difference(decision)) { $0.steps?[position, default: 0] += 1 }
    }
    for action in (actions ?? []).sorted() {
      add("action \(action) is left out") { $0.actions?.remove(action) }
    }
    return neighbours
  }
}

/// A state as lines, one for each of its parts.
enum StateText {
  private static let (lines, characters) = (20, 120)

  static func lines(of state: any Sendable) -> [String] {
    let mirror = Mirror(reflecting: state)
    let parts = mirror.children.compactMap { child in child.label.map { (name: $0, value: child.value) } }
    guard mirror.displayStyle == .struct, !parts.isEmpty, !ValueText.isDescribed(state) else {
      return [ValueText.of(state, limit: lines * characters)]
    }
    let shown = parts.prefix(lines).map { "\($0.name): \(ValueText.of($0.value, limit: characters))" }
    return shown + (parts.count > lines ? ["… and \(parts.count - lines) more"] : [])
  }
}
