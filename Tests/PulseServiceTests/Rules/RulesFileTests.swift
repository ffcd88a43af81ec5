import Foundation
import MillraceFlags
import Testing

@testable import PulseService

@Suite("RulesFile")
struct RulesFileTests {
  @Test("The rules of a file come in its order")
  func rules() throws {
    let data = Data(#"["cpu > 90 % for 30 s", "target down for 2 probes"]"#.utf8)
    #expect(
      try RulesFile.rules(in: data, about: targets).map(\.text) == ["cpu > 90 % for 30 s", "target down for 2 probes"])
    #expect(try RulesFile.rules(in: Data("[]".utf8), about: targets).isEmpty)
  }

  @Test(
    "A file that is no list of texts is refused with the line and the fix",
    arguments: [
      ("{}", "which is not a JSON list of texts; write for example \(example)"),
      ("[\"a\",\n 1]", "whose rule 2 is no text in double quotes; write for example \(example)"),
      ("[1e400]", "whose rule 1 is no text in double quotes; write for example \(example)"),
      ("[null]", "whose rule 1 is no text in double quotes; write for example \(example)"),
      (
        "[\n  \"cpu > 1\",\n  'cpu > 2'\n]",
        "which is no JSON: line 3, column 3 has the quote ' where JSON has \"; write \" around each text"
      ),
      (
        "[\"cpu > 1\"",
        "which is no JSON: line 1, column 11 is the end, and something is missing; end each text with \", each list with ] and each object with }"
      ),
      (
        "cpu > 90 %",
        "which is no JSON: line 1, column 1 has 'c', which is not possible there; write \" around each text, and a comma between two values"
      ),
    ])
  func notAList(text: String, problem: String) {
    let error = #expect(throws: RulesFileError.self) { try RulesFile.rules(in: Data(text.utf8), about: targets) }
    #expect(error?.description == problem)
  }

  @Test("A wrong rule is named by its place")
  func wrongRule() {
    let data = Data(#"["cpu > 90 %", "cpu"]"#.utf8)
    let error = #expect(throws: RulesFileError.self) { try RulesFile.rules(in: data, about: targets) }
    #expect(
      error?.description
        == "whose rule 2, 'cpu', lacks >, >=, < or <= behind 'cpu'; write for example 'cpu > 90 % for 30 s'")
  }

  @Test("A file that is not there, or is a directory, is refused")
  func unreadable() {
    let missing = #expect(throws: RulesFileError.self) {
      try RulesFile.rules(at: "/nowhere/rules.json", about: targets)
    }
    #expect(missing?.description == "which does not exist; name a file with rules such as \(Self.example)")
    let directory = #expect(throws: RulesFileError.self) { try RulesFile.rules(at: "/", about: targets) }
    #expect(directory?.description == "which is a folder; name a file with rules such as \(Self.example)")
  }

  @Test("A rule about a target that is not watched is refused with the file's name")
  func missingTarget() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "rules-\(UUID().uuidString).json").path
    try Data(#"["http://a down"]"#.utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let other = try AlertRule("load > 9")
    let watched = RulesFile(path: path, otherRules: [other], endpoints: [try Endpoint("http://a")])
    #expect(try watched.load().map(\.text) == ["load > 9", "http://a down"])
    let error = #expect(throws: FlagError.self) { try RulesFile(path: path).load() }
    #expect(
      error?.message
        == "--rules was given '\(path)', whose rule 1, 'http://a down', is about a target that is not watched; "
        + "add --watch 'http://a'.")
  }

  private let targets = TargetNames([.web])
  private static let example = #"["cpu > 90 % for 30 s", "target down for 2 probes"]"#
}
