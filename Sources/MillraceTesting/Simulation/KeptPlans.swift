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
  /// - Throws: a sentence about a folder that cannot be read, or a file that has no plan.
  func all() throws(InvalidPlan) -> [SimulationPlan] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) else { return [] }
    let found = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    guard let files = found, isFolder.boolValue else {
      throw InvalidPlan(description: "The plans in \(folder.path) cannot be read; give 'plans:' a folder that can be.")
    }
    var plans: [SimulationPlan] = []
    for file in files.filter({ $0.pathExtension == Self.suffix }).sorted(by: { $0.path < $1.path }) {
      let line = (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n").first ?? ""
      do {
        plans.append(try SimulationPlan.read(String(line)))
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
  func keep(_ plan: SimulationPlan, _ sentence: String) -> String {
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
