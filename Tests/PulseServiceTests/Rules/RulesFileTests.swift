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

  @Test("A file that is no list of texts is refused", arguments: ["", "{}", "[1]", "[\"cpu > 1\"", "cpu > 90 %"])
  func notAList(text: String) {
    let error = #expect(throws: RulesFileError.self) { try RulesFile.rules(in: Data(text.utf8), about: targets) }
    #expect(error?.description == "which is not a JSON list of texts; write for example \(example)")
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
    #expect(missing?.description == "which does not exist; name a file with rules such as \(example)")
    let directory = #expect(throws: RulesFileError.self) { try RulesFile.rules(at: "/", about: targets) }
    #expect(directory?.description == "which cannot be read; name a file with rules such as \(example)")
  }

  @Test("A rule about a target that is not watched is refused with the file's name")
  func missingTarget() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "rules-\(UUID().uuidString).json").path
    try Data(#"["http://a down"]"#.utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let other = try AlertRule("load > 9")
    let watched = RulesFile(path: path, otherRules: [other], endpoints: [try Endpoint("http://a")])
    #expect(try await watched.rules().map(\.text) == ["load > 9", "http://a down"])
    let error = await #expect(throws: FlagError.self) { try await RulesFile(path: path).rules() }
    #expect(
      error?.message
        == "--rules was given '\(path)', whose rule 1, 'http://a down', is about a target that is not watched; "
        + "add --watch 'http://a'.")
  }

  private let targets = TargetNames([.web])
  private let example = #"["cpu > 90 % for 30 s", "target down for 2 probes"]"#
}
