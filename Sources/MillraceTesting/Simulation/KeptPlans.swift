import Foundation

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
  /// - Throws: a sentence about a file that has no plan.
  func all() throws(InvalidPlan) -> [SimulationPlan] {
    let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    var plans: [SimulationPlan] = []
    for file in files.filter({ $0.pathExtension == Self.suffix }).sorted(by: { $0.path < $1.path }) {
      let line = (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n").first ?? ""
      guard let plan = SimulationPlan(String(line)) else { throw InvalidPlan(path: file.path, line: String(line)) }
      plans.append(plan)
    }
    return plans
  }

  /// Writes a plan into a file of its own, with the failure below it, and returns a sentence about that.
  func keep(_ plan: SimulationPlan, _ sentence: String) -> String {
    let file = folder.appendingPathComponent("seed-\(plan.seed).\(Self.suffix)")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try "\(plan)\n\(sentence)\n".write(to: file, atomically: true, encoding: .utf8)
      return "It is kept in \(file.path), and is run first from now on; commit the file with the fix."
    } catch {
      return "It cannot be kept in \(file.path): \(error.localizedDescription)"
    }
  }

  /// A file whose first line is no plan.
  struct InvalidPlan: Error, CustomStringConvertible {
    let path: String
    let line: String

    var description: String {
      "\(path) begins with '\(line)', which is no plan of a simulation; begin it with the plan of a failure, or remove it."
    }
  }
}
