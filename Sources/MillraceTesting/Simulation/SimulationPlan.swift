/// The complete choices of one world: a seed, and the choices that replace its draws.
///
/// A plan that was shrunk has few choices left; all others are the least there is: an action is left out, a draw brings no
/// fault, a step runs the job that has waited longest.
///
/// Its text says all of it: `417` for a seed alone, `417 actions 0,4 draws 2=1 steps 12=1,40=2` for one that was shrunk.
public struct SimulationPlan: Sendable, Hashable, LosslessStringConvertible {
  /// The source of all choices.
  public var seed: UInt64

  /// The drawn actions that are taken, counted from 0; nil takes all.
  public var actions: Set<Int>?

  /// The results of the draws of faults and times, counted from 0; nil draws them, and a missing draw gives the least.
  ///
  /// A fault of probability 0 or 1 is counted among them, and is no choice.
  public var draws: [Int: Int]?

  /// The waiting job that runs at a step, counted from the job that has waited longest; nil draws it at each step, and a
  /// step that is not named runs that one.
  public var steps: [Int: Int]?

  /// Makes the plan of a seed, with all its choices.
  public init(seed: UInt64) {
    self.seed = seed
  }

  /// The text that ``init(_:)`` reads.
  public var description: String {
    var words = ["\(seed)"]
    if let actions { words += ["actions", Self.list(actions.sorted().map(String.init))] }
    if let draws { words += ["draws", Self.list(draws)] }
    if let steps { words += ["steps", Self.list(steps)] }
    return words.joined(separator: " ")
  }

  private static func list(_ choices: [Int: Int]) -> String {
    list(choices.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
  }

  private static func list(_ items: [String]) -> String {
    items.isEmpty ? "none" : items.joined(separator: ",")
  }

  /// Reads a plan from the text that a failure gives; nil if that is none.
  public init?(_ description: String) {
    var words = description.split(separator: " ")[...]
    guard let seed = words.popFirst().flatMap({ UInt64($0) }) else { return nil }
    self.init(seed: seed)
    while let name = words.popFirst() {
      guard let text = words.popFirst() else { return nil }
      let items = text == "none" ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
      switch name {
      case "actions":
        guard let numbers = Self.numbers(items), actions == nil else { return nil }
        actions = numbers
      case "draws":
        guard let choices = Self.choices(items), draws == nil else { return nil }
        draws = choices
      case "steps":
        guard let choices = Self.choices(items), steps == nil else { return nil }
        steps = choices
      default: return nil
      }
    }
  }

  private static func numbers(_ items: [Substring]) -> Set<Int>? {
    let numbers = items.compactMap { Int($0) }.filter { $0 >= 0 }
    return numbers.count == items.count ? Set(numbers) : nil
  }

  private static func choices(_ items: [Substring]) -> [Int: Int]? {
    var choices: [Int: Int] = [:]
    for item in items {
      let pair = item.split(separator: "=", omittingEmptySubsequences: false).compactMap { Int($0) }
      guard pair.count == 2, pair.allSatisfy({ $0 >= 0 }) else { return nil }
      choices[pair[0]] = pair[1]
    }
    return choices
  }
}

/// The place of a simulation, and what its worlds were given besides their plans.
struct SimulationOrigin: Sendable {
  var maximumSteps = Simulation.maximumSteps
  var hops = Simulation.Hops.actors
  var allowed: Simulation.Outside = []
  /// The longest time for which a step may compute or block, in seconds.
  var stepSeconds = 10.0
  var file: StaticString = ""
  var line: UInt = 0

  /// The file and the line.
  var place: String { "\("\(file)".split(separator: "/").last ?? ""):\(line)" }

  /// The call that runs a plan as it was run here.
  func call(_ plan: SimulationPlan) -> String {
    let what = plan == SimulationPlan(seed: plan.seed) ? "seed: \(plan.seed)" : "plan: \"\(plan)\""
    let limit = maximumSteps == Simulation.maximumSteps ? "" : ", maximumSteps: \(maximumSteps)"
    let hops = hops == .actors ? "" : ", hops: .\(hops)"
    let allowed = allowed.isEmpty ? "" : ", allowing: \(allowed)"
    return "Simulation.run(\(what)\(limit)\(hops)\(allowed))"
  }
}
