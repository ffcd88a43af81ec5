import Foundation
import MillraceFlags
import Testing

@testable import MillraceBenchmarks

@Suite("Thresholds")
struct ThresholdsTests {
  private let file = FileManager.default.temporaryDirectory.appending(path: "thresholds-\(UUID()).txt")

  /// Reads thresholds from a file with this text.
  private func thresholds(_ text: String) throws -> Thresholds {
    try text.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    return try Thresholds(contentsOf: file.path)
  }

  private func error(_ end: String) -> FlagError {
    FlagError("--thresholds needs a file that 'benchmarks --write-thresholds' has written, but \(end).")
  }

  @Test("A line has a name, a ratio and allocations; a hyphen is none, and comments and empty lines mean nothing")
  func reading() throws {
    let read = try thresholds("# a comment\n\nsend   1.5  0\n  run 2 -\nstream - 6.25\n#run 9 9\n")
    let expected: [String: Thresholds.Limit] = [
      "send": .init(ratio: 1.5, allocations: 0), "run": .init(ratio: 2, allocations: nil),
      "stream": .init(ratio: nil, allocations: 6.25),
    ]
    #expect(read == Thresholds(expected))
  }

  @Test("The text of a file is sorted and aligned, and is read as the same thresholds")
  func writing() throws {
    let written = Thresholds([
      "send/decided": .init(ratio: 1.5, allocations: 0), "run": .init(ratio: 12.3456, allocations: 6.123_44),
      "run/all": .init(ratio: nil, allocations: 7), "state": .init(ratio: 0.001, allocations: nil),
    ])
    let lines = """
      # Row, ratio of processor times on one core, allocations an item; see docs/performance.md.
      run           12.346     6.1234
      run/all       -          7
      send/decided  1.5        0
      state         0.001      -

      """
    #expect(written.text == lines)
    #expect(try thresholds(lines).text == lines)
  }

  @Test(
    "A file of something else is refused with a sentence",
    arguments: [
      ("", "has no row"), ("# a comment\n", "has no row"), ("send 1.5\n", "has something else in line 1"),
      ("send 1.5 0\nrun 1.5 0 0\n", "has something else in line 2"), ("send x 0\n", "has something else in line 1"),
      ("send 1.5 -1\n", "has something else in line 1"), ("send nan 0\n", "has something else in line 1"),
      ("send inf 0\n", "has something else in line 1"), ("send 1 1\n\nsend 1 1\n", "has send again in line 3"),
    ])
  func refused(text: String, reason: String) {
    #expect(throws: error("'\(file.path)' \(reason)")) { try thresholds(text) }
  }

  @Test("A file that is not there is refused with a sentence")
  func missing() {
    #expect(throws: error("'/none' cannot be read")) { try Thresholds(contentsOf: "/none") }
  }

  @Test("The file of this package for this compiler, if there is one, has the rows that are gated and no others")
  func ownFile() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Benchmarks/Thresholds")
    guard let file = ThresholdFile.chosen(folder.path) else { return }
    let own = try Thresholds(contentsOf: file)
    #expect(own.limits.keys.sorted() == allRows.filter(\.isGated).map(\.name).sorted())
    #expect(own.limits["send/decided"]?.allocations == 0)
  }
}

@Suite("File of thresholds")
struct ThresholdFileTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "thresholds-\(UUID())")

  @Test("Of a folder the file of the compiler is chosen, or none; a file is chosen whatever its name")
  func chosen() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "swift-6.3.txt").path
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(ThresholdFile.chosen(folder.path, compiler: "6.3") == file)
    #expect(ThresholdFile.chosen(folder.path, compiler: "6.2") == nil)
    #expect(ThresholdFile.chosen(file, compiler: "6.2") == file)
  }

  @Test("A path where nothing is is chosen, so that reading it fails with a sentence")
  func missing() {
    #expect(ThresholdFile.chosen(folder.path, compiler: "6.3") == folder.path)
  }

  @Test("The version of the compiler has no patch")
  func version() {
    #if compiler(>=6.3) && compiler(<6.4)
      #expect(ThresholdFile.compiler == "6.3")
    #elseif compiler(<6.3)
      #expect(ThresholdFile.compiler == "6.2")
    #endif
  }
}
