import Foundation
import MillraceFlags
import Testing

@testable import MillraceBenchmarks

@Suite("Options")
struct OptionsTests {
  private func options(_ arguments: String...) throws(FlagError) -> Options {
    try Options(Options.flags.parse(arguments))
  }

  @Test(
    "Thresholds are written by short rounds of all rows on one core, and by no other run",
    arguments: [
      [], ["--one-core"], ["--seconds", "3"], ["--one-core", "--seconds", "3", "--quick"],
      ["--one-core", "--seconds", "3", "--filter", "send"],
    ])
  func writing(others: [String]) throws {
    let expected = FlagError(
      "--write-thresholds needs short rounds of all rows on one core; add --one-core --seconds 3, and leave --filter and "
        + "--quick out.")
    #expect(throws: expected) {
      try Options(Options.flags.parse(["--write-thresholds", "a.txt"] + others))
    }
    let allowed = try options("--write-thresholds", "a.txt", "--one-core", "--seconds", "3")
    #expect(allowed.thresholdsToWrite == "a.txt")
    #expect(allowed.size == .short)
    #expect(allowed.time == .seconds(3))
  }

  @Test("With thresholds, rows that can have none are measured only if something else is compared, or they are named")
  func ungated() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "thresholds-\(UUID()).txt")
    try "send 1 0\n".write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    func measured(_ flags: String...) throws -> [String] {
      try allRows.filter(Options(Options.flags.parse(["--thresholds", file.path] + flags)).chooses).map(\.name)
    }
    let all = allRows.map(\.name)
    let gated = allRows.filter(\.isGated).map(\.name)
    let ungated = try #require(all.first { !gated.contains($0) })
    #expect(try measured() == gated)
    #expect(try measured("--check") == all)
    #expect(try measured("--filter", ungated).contains(ungated))
    #expect(try allRows.filter(options().chooses).map(\.name) == all)
  }

  @Test("A folder without thresholds for this compiler is told in a sentence, and none are checked")
  func otherCompiler() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "thresholds-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let found = try options("--thresholds", folder.path, "--one-core")
    #expect(found.thresholds == nil)
    #expect(
      found.remarks == [
        "'\(folder.path)' has no thresholds for Swift \(ThresholdFile.compiler), so none are checked; write them with "
          + "--one-core --seconds 3 --write-thresholds FILE."
      ])
  }

  @Test(
    "Thresholds that are checked otherwise than they were written are told so",
    arguments: [
      ([], true), (["--one-core"], true), (["--seconds", "3"], true), (["--one-core", "--seconds", "3"], false),
    ])
  func otherwise(others: [String], isTold: Bool) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "thresholds-\(UUID()).txt")
    try "send 1 0\n".write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let found = try Options(Options.flags.parse(["--thresholds", file.path] + others))
    #expect(found.thresholds == Thresholds(["send": .init(ratio: 1, allocations: 0)]))
    let remark = "Thresholds are ratios of short rounds on one core; add --one-core --seconds 3 to compare the same."
    #expect(found.remarks == (isTold ? [remark] : []))
  }

  @Test("A row is chosen by a part of its name, and every row without a filter")
  func chooses() throws {
    let row = Row(name: "send/decided") { _ in Figure(value: 0) }
    #expect(try options("--filter", "d/d").chooses(row))
    #expect(try !options("--filter", "run").chooses(row))
    #expect(try options().chooses(row))
  }

  @Test("The names of rows differ, and each reference is a row")
  func rows() {
    let names = Set(allRows.map(\.name))
    #expect(names.count == allRows.count)
    #expect(allRows.compactMap(\.reference).filter { !names.contains($0) } == [])
  }
}
