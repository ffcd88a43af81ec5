import Foundation

@testable import MillraceTesting

/// The table of docs/known-bugs.md: the rows on the page, and the rows that simulations give.
enum KnownBugTable {
  private static let page = URL(filePath: #filePath).appending(path: "../../../../docs/known-bugs.md").standardized

  /// The rows of the table on the page, with its head.
  static func onPage() throws -> String {
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    return lines.drop { !$0.hasPrefix(head) }.prefix { $0.hasPrefix("|") }.joined(separator: "\n")
  }

  private static let head = "| Bug | Harm | Needs | Found by | World | Actions, draws, decisions | Failing seeds |"

  /// The rows that simulations of the broken programs give, with their head.
  static func found() async -> String {
    var rows = [head, "|---|---|---|---|---|---|---|"]
    for bug in KnownBug.all { rows.append(await row(of: bug)) }
    return rows.joined(separator: "\n")
  }

  /// Simulates a broken program until it fails, in at most 2,000 worlds.
  ///
  /// The environment does not change the seeds, unlike those of `Simulation.run(seeds:)`.
  static func simulate(_ bug: KnownBug, hops: Simulation.Hops = .actors) async -> Simulation.Report {
    let search = Search(
      origin: SimulationOrigin(hops: hops), shrinkingAttempts: 1_000, isReporting: false, body: bug.broken)
    return await search((0..<2_000).lazy.map { Simulation.Plan(seed: $0) })
  }

  /// The row of a bug; the first failing world gives all columns but the last one.
  private static func row(of bug: KnownBug) async -> String {
    let report = await simulate(bug)
    guard let plan = report.failingPlan else { return "| \(bug.name) | not found |" }
    let sizes = [plan.actions?.count, plan.draws?.count, plan.steps?.count].map { $0 ?? 0 }
    let numbers = await failures(of: bug)
    return """
      | \(bug.name) | \(bug.harm) | \(bug.need.rawValue) | \(ruleName(of: plan.seed)) | \(report.worlds) | \
      \(text(sizes)) | \(text(numbers)) |
      """
  }

  /// The numbers of seeds that fail by uniform choice, weights and priorities, of 1,000 each.
  private static func failures(of bug: KnownBug) async -> [Int] {
    let run = WorldRun(origin: SimulationOrigin(), body: bug.broken)
    var numbers = [0, 0, 0]
    for seed in 0..<3_000 {
      let result = await run(Simulation.Plan(seed: UInt64(seed)), patience: 0.05)
      if result.failure != nil { numbers[seed % 3] += 1 }
    }
    return numbers
  }

  private static func text(_ numbers: [Int]) -> String {
    numbers.map(String.init).joined(separator: ", ")
  }

  private static func ruleName(of seed: UInt64) -> String {
    switch ChoiceRule(seed: seed).kind {
    case .uniform: "uniform choice"
    case .weights: "weights"
    case .priorities: "priorities"
    }
  }
}
