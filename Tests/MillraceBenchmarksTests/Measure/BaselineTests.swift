import Foundation
import MillraceFlags
import Testing

@testable import MillraceBenchmarks

@Suite("Baseline")
struct BaselineTests {
  private let file = FileManager.default.temporaryDirectory.appending(path: "baseline-\(UUID()).jsonl")

  /// Reads a baseline from a file with this text.
  private func baseline(_ text: String) throws -> Baseline {
    try text.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    return try Baseline(contentsOf: file.path)
  }

  /// Figures with this ratio in each of seven rounds, whose uncertainty is therefore 0.
  private func figures(_ ratio: Double) -> Figures {
    var figures = Figures()
    for _ in 0..<7 { figures.add(Figure(value: ratio), over: Figure(value: 1)) }
    return figures
  }

  private func error(_ end: String) -> FlagError {
    FlagError("--baseline needs a file that 'benchmarks --json' has written, but \(end)")
  }

  private let row = Row(name: "send", reference: "reference") { _ in Figure(value: 0) }
  private let lines = """
    {"name":"send","unit":"ns","median":10,"reference":"reference","ratio":2,"uncertainty":0.05}
    {"name":"reference","unit":"ns","median":5,"reference":null,"ratio":null,"uncertainty":null}

    """

  @Test("The ratio before is told with the change", arguments: [(2.1, "2  +5 %"), (1.5, "2  −25 %"), (2, "2  +0 %")])
  func change(ratio: Double, text: String) throws {
    #expect(try baseline(lines).text(row, figures(ratio)) == text)
  }

  @Test(
    "A row is slower where that is more than both are uncertain", arguments: [(2.1, false), (2.11, true), (1, false)])
  func slower(ratio: Double, isSlower: Bool) throws {
    #expect(try baseline(lines).isSlower(row, figures(ratio)) == isSlower)
  }

  @Test("A row that was not measured before, or is not certain, is compared with nothing")
  func unknown() throws {
    let other = Row(name: "other", reference: "reference") { _ in Figure(value: 0) }
    #expect(try baseline(lines).text(other, figures(9)) == "")
    #expect(try !baseline(lines).isSlower(other, figures(9)))
    #expect(try !baseline(lines).isSlower(Row(name: "reference") { _ in Figure(value: 0) }, figures(9)))
  }

  @Test(
    "A file of another kind is refused with a sentence",
    arguments: [
      ("", "is empty"), ("name  median\n", "has something else in line 1"),
      ("{\"name\":\"a\"}\n{}\n", "has something else in line 2"),
    ])
  func refused(text: String, reason: String) {
    #expect(throws: error("'\(file.path)' \(reason).")) { try baseline(text) }
  }

  @Test("A file that is not there is refused with a sentence")
  func missing() {
    #expect(throws: error("'/none' cannot be read.")) { try Baseline(contentsOf: "/none") }
  }
}
