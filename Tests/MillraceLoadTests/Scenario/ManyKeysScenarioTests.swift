import Foundation
import Testing

/// The scenario `many-keys` of the product `load`, run as users run it.
@Suite("The scenario many-keys", .timeLimit(.minutes(2)))
struct ManyKeysScenarioTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private func load(_ arguments: String...) async throws -> FinishedCommand {
    try await FinishedCommand("load", ["--scenario", "many-keys"] + arguments, in: folder)
  }

  #if SQLite
    @Test(
      "Keys hibernate for those that are used, no use is refused, and the report has the counts and the memory",
      arguments: ["zipf", "uniform"])
    func run(law: String) async throws {
      let end = try await load(
        "--keys", "400", "--live", "20", "--draw", law, "--rate", "500", "--for", "1", "--warm-up", "0", "--json",
        "--report", "keys.html")
      #expect(end.code == 0, "\(end.errors)")
      #expect(end.errors.contains("400 of 400 keys were made in "))
      let line = try #require(end.output.split(separator: "\n").last)
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(object["sent"] as? Int == 500 && object["finished"] as? Int == 500, "\(line)")
      let figures = try #require(object["figures"] as? [String: Int])
      #expect(figures["keys"] == 400 && figures["refused uses"] == 0 && figures["failed openings"] == 0)
      #expect(
        try #require(figures["openings"]) > 50 && figures["hibernations"] ?? 0 > 50 && figures["live keys"] ?? 0 > 0)
      #expect(figures["memory at the start"] ?? 0 > 0 && figures["memory at the end"] ?? 0 > 0)
      #expect(end.output.contains("\nhibernations "))
      let page = try String(contentsOf: folder.file("keys.html"), encoding: .utf8)
      #expect(page.contains("<dt>hibernations</dt>"))
    }

    @Test("A journal that is named is kept, and its keys are not made again")
    func kept() async throws {
      for (number, made) in [(300, 300), (300, 0), (400, 100)] {
        let end = try await load(
          "--keys", "\(number)", "--journal", "keys.journal", "--rate", "100", "--for", "0.2", "--warm-up", "0")
        #expect(end.code == 0 && end.errors.contains("\(made) of \(number) keys were made in "), "\(end.errors)")
      }
    }

    @Test("Flags that do not fit together are a sentence with the fix")
    func wrongFlags() async throws {
      let users = try await load("--users", "2")
      #expect(users.code == 64 && users.errors.hasPrefix("--scenario many-keys has one user for all keys"))
      let law = try await load("--draw", "pareto")
      #expect(law.code == 64 && law.errors.hasPrefix("--draw needs zipf or uniform, but was given 'pareto'"))
      let other = try await FinishedCommand("load", ["--keys", "7"], in: folder)
      #expect(
        other.errors == "--keys belongs to --scenario many-keys; add that, or leave --keys out.\n" && other.code == 64)
    }
  #else
    @Test("Without the trait SQLite a sentence says how to build load with it")
    func withoutTrait() async throws {
      let end = try await load()
      #expect(end.code == 64 && end.errors.contains("--traits SQLite --product load"))
    }
  #endif
}
