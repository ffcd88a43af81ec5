import Foundation

extension Simulation {
  /// The complete choices of one world: a seed, and the choices that replace its draws.
  ///
  /// A plan that was shrunk has few choices left; all others are the least there is: an action is left out, a draw brings no
  /// fault, a step runs the job that has waited longest.
  ///
  /// Draws and steps belong to the tasks that make them, so that the choices of one task stay as they are when another task is left out. A task is named by
  /// the tasks that made it: `1` is the body, `1.2` the second task that the body made.
  ///
  /// Its text says all of it: `417` for a seed only, `417 actions 0,4 draws 1.2.0=1 steps 1.1.3=2` for one that was shrunk.
  public struct Plan: Sendable, Hashable, LosslessStringConvertible {
    /// The position of a draw or a step: its task, and its number in the task.
    ///
    /// Its text is the name of the task and the number: `1.2.0` is the first draw, or the first step, of the second task that the body made.
    public struct Position: Sendable, Hashable, Comparable, LosslessStringConvertible {
      /// The name of the task: for each task on the way from the first one, its number among the tasks that its parent made, from 1 on.
      ///
      /// `[0]` stands for draws and steps of no task.
      public var task: [Int]

      /// The number from 0 on.
      public var number: Int

      /// Creates the position of a number of a task.
      public init(task: [Int], number: Int) {
        self.task = task
        self.number = number
      }

      /// The text that ``init(_:)`` reads.
      public var description: String { (task + [number]).map(String.init).joined(separator: ".") }

      /// Reads a position from its text; nil if that is none.
      public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }.filter { $0 >= 0 }
        guard numbers.count == parts.count, numbers.count > 1 else { return nil }
        self.init(task: numbers.dropLast(), number: numbers[numbers.count - 1])
      }

      /// Whether a position comes before another one: by tasks, then by numbers.
      public static func < (first: Position, second: Position) -> Bool {
        (first.task + [first.number]).lexicographicallyPrecedes(second.task + [second.number])
      }
    }

    /// The source of all choices.
    public var seed: UInt64

    /// The drawn actions that are taken, counted from 0; nil takes all.
    public var actions: Set<Int>?

    /// The results of the draws of faults and times; nil draws them, and a missing draw gives the least.
    ///
    /// A fault of probability 0 or 1 is counted among them, and is no choice.
    public var draws: [Position: Int]?

    /// The numbers of times for which ready steps give way to jobs behind them; nil leaves each choice to the seed, and a step that is not named
    /// gives way to none.
    ///
    /// The turn of an actor is a step of the task that caused it.
    public var steps: [Position: Int]?

    /// The first choices of a world in an exhaustive search; nil for any other world.
    var prefix: ChoicePrefix?

    /// Creates the plan of a seed, with all its choices.
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

    private static func list(_ choices: [Position: Int]) -> String {
      list(choices.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
    }

    private static func list(_ items: [String]) -> String {
      items.isEmpty ? "none" : items.joined(separator: ",")
    }

    /// Reads a plan from the text that a failure gives; nil if that is none.
    public init?(_ description: String) {
      guard let plan = try? Self.read(description) else { return nil }
      self = plan
    }

    /// The reason why a text is no plan.
    enum Unreadable: Error {
      case noPlan
      /// A plan of a version that counted draws and steps without regard to tasks.
      case ofEarlierVersion(seed: UInt64)
    }

    /// Reads a plan.
    static func read(_ text: String) throws(Unreadable) -> Simulation.Plan {
      var words = text.split(separator: " ")[...]
      guard let seed = words.popFirst().flatMap({ UInt64($0) }) else { throw .noPlan }
      var plan = Simulation.Plan(seed: seed)
      while let name = words.popFirst() {
        guard let text = words.popFirst() else { throw .noPlan }
        let items = text == "none" ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
        switch name {
        case "actions" where plan.actions == nil: plan.actions = try numbers(items)
        case "draws" where plan.draws == nil: plan.draws = try choices(items, seed)
        case "steps" where plan.steps == nil: plan.steps = try choices(items, seed)
        default: throw .noPlan
        }
      }
      return plan
    }

    private static func numbers(_ items: [Substring]) throws(Unreadable) -> Set<Int> {
      let numbers = items.compactMap { Int($0) }.filter { $0 >= 0 }
      guard numbers.count == items.count else { throw .noPlan }
      return Set(numbers)
    }

    private static func choices(_ items: [Substring], _ seed: UInt64) throws(Unreadable) -> [Position: Int] {
      var choices: [Position: Int] = [:]
      for item in items {
        let pair = item.split(separator: "=", omittingEmptySubsequences: false)
        guard pair.count == 2, let value = Int(pair[1]), value >= 0 else { throw .noPlan }
        guard let position = Position(String(pair[0])) else {
          throw Int(pair[0]).map { $0 >= 0 } == true ? .ofEarlierVersion(seed: seed) : .noPlan
        }
        choices[position] = value
      }
      return choices
    }
  }
}

/// A folder of plans that failed once, one in each file, so that they are run first from then on.
struct KeptPlans: Sendable {
  let folder: URL

  /// - Parameters:
  ///   - path: the folder; a relative path begins at the folder of `file`.
  ///   - file: the file of the test.
  init(_ path: String, besides file: StaticString) {
    folder = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: "\(file)").deletingLastPathComponent())
  }

  private static let suffix = "plan"

  /// The plans of all files, in the order of their names; none if there is no folder.
  ///
  /// - Throws: a sentence about a folder that cannot be read, or a file that has no plan.
  func all() throws(InvalidPlan) -> [Simulation.Plan] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) else { return [] }
    let found = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    guard let files = found, isFolder.boolValue else {
      throw InvalidPlan(description: "The plans in \(folder.path) cannot be read; give 'plans:' a folder that can be.")
    }
    var plans: [Simulation.Plan] = []
    for file in files.filter({ $0.pathExtension == Self.suffix }).sorted(by: { $0.path < $1.path }) {
      let line = (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n").first ?? ""
      do {
        plans.append(try Simulation.Plan.read(String(line)))
      } catch {
        let words =
          if case .ofEarlierVersion = error { "a plan of an earlier version of Millrace" } else {
            "no plan of a simulation"
          }
        throw InvalidPlan(
          description: """
            \(file.path) begins with '\(line)', which is \(words); begin it with the plan of a failure, or remove it.
            """)
      }
    }
    return plans
  }

  /// Writes a plan into a file of its own, with the failure below it, and returns a sentence about that.
  func keep(_ plan: Simulation.Plan, _ sentence: String) -> String {
    let file = newFile(plan.seed)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try "\(plan)\n\(sentence)\n".write(to: file, atomically: true, encoding: .utf8)
      return "It is kept in \(file.path), and is run first from now on; commit the file with the fix."
    } catch {
      return
        "It cannot be kept in \(file.path); give 'plans:' a folder that can be written. \(error.localizedDescription)"
    }
  }

  /// A file for another plan of a seed; no file of an earlier one is replaced.
  private func newFile(_ seed: UInt64) -> URL {
    var (file, number) = (folder.appendingPathComponent("seed-\(seed).\(Self.suffix)"), 1)
    while FileManager.default.fileExists(atPath: file.path) {
      number += 1
      file = folder.appendingPathComponent("seed-\(seed)-\(number).\(Self.suffix)")
    }
    return file
  }

  /// The reason why there are no plans.
  struct InvalidPlan: Error, CustomStringConvertible {
    let description: String
  }
}
