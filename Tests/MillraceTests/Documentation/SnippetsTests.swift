import Foundation
import Testing

/// Every snippet of the documentation stands in a file of a Documentation folder of the tests, where it is compiled, and run
/// by a test beside it; whole programs stand in the package of a consumer, which `Tests/run` builds and runs, and in an example.
@Suite("Snippets")
struct SnippetsTests {
  /// A ```swift block of a document.
  struct Snippet: CustomTestStringConvertible, Sendable {
    var file: String
    /// The number of its first line in the document.
    var line: Int
    var lines: [String]

    var testDescription: String { "\(file):\(line)" }
  }

  static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The documents, relative to the package.
  static func documents() throws -> [String] {
    let docs = FileManager.default.enumerator(atPath: package.appending(path: "docs").path)
    let names = docs?.compactMap { $0 as? String } ?? []
    return ["README.md"] + names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }
  }

  static func text(_ path: String) throws -> String {
    try String(contentsOf: package.appending(path: path), encoding: .utf8)
  }

  /// The blocks that have to compile: those that begin with ```swift and nothing behind it.
  static func snippets(of file: String, _ text: String) -> [Snippet] {
    var snippets: [Snippet] = []
    var open: Snippet?
    var isInside = false
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("```") {
        if let snippet = open { snippets.append(snippet) }
        open = !isInside && line == "```swift" ? Snippet(file: file, line: index + 2, lines: []) : nil
        isInside.toggle()
      } else if !line.isEmpty {
        open?.lines.append(line)
      }
    }
    return snippets
  }

  /// The lines of a snippet that stand in order in `source`, from the first one on; nil for all, or the first missing one.
  static func missingLine(of snippet: Snippet, in source: [String]) -> Int? {
    var rest = source[...]
    for (index, line) in snippet.lines.enumerated() {
      guard let place = rest.firstIndex(of: line) else { return index }
      rest = rest[(place + 1)...]
    }
    return nil
  }

  /// Where snippets stand, relative to the package; in folders of these too.
  static let folders =
    [
      "MillraceTests", "MillraceOperatorsTests", "MillraceReconcileTests", "MillraceTestingTests",
      "MillraceRecordingTests",
      "MillraceCommandTests", "MillraceLoadTests", "PulseServiceTests",
    ].map { "Tests/\($0)/Documentation" } + ["Tests/Consumer/Sources/service", "Sources/MirrorService"]

  /// The trimmed lines of each Swift file in those folders but this one.
  static func homes() throws -> [[String]] {
    let files = try folders.flatMap { folder in
      try FileManager.default.subpathsOfDirectory(atPath: package.appending(path: folder).path)
        .map { package.appending(path: folder).appending(path: $0) }
    }
    let own = URL(filePath: #filePath).lastPathComponent
    return try files.filter { $0.pathExtension == "swift" && $0.lastPathComponent != own }.map { file in
      try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
  }

  @Test("Every Swift block of README.md and docs/ stands line for line in a file that is compiled")
  func everySnippetIsCompiled() throws {
    let homes = try Self.homes()
    var count = 0
    for document in try Self.documents() {
      for snippet in Self.snippets(of: document, try Self.text(document)) {
        count += 1
        let missing = homes.map { Self.missingLine(of: snippet, in: $0) }
        guard !missing.contains(nil) else { continue }
        let line = missing.compactMap { $0 }.max() ?? 0
        Issue.record(
          """
          \(snippet.file):\(snippet.line): this snippet stands in no file of \(Self.folders.joined(separator: " or ")); the \
          first line that is missing is "\(snippet.lines[line])". Bring both together, or begin it with ```swift not-compiled.
          """)
      }
    }
    #expect(count > 0, "No document has a Swift block any more; is the convention another one?")
  }

  @Test("A block is found by its fence, and a line that is missing, changed or out of order is told")
  func theCheckItself() throws {
    let text = """
      ```
      not swift
      ```
        ```swift
        let a = 1

        let b = 2
        ```
      ```swift not-compiled
      let c = 3
      ```
      ```swift
      let d = 4
      ```
      """
    let snippets = Self.snippets(of: "A.md", text)
    #expect(snippets.map(\.line) == [5, 13])
    #expect(snippets.map(\.lines) == [["let a = 1", "let b = 2"], ["let d = 4"]])
    let snippet = try #require(snippets.first)
    #expect(Self.missingLine(of: snippet, in: ["x", "let a = 1", "y", "let b = 2"]) == nil)
    #expect(Self.missingLine(of: snippet, in: ["let a = 1"]) == 1)
    #expect(Self.missingLine(of: snippet, in: ["let b = 2", "let a = 1"]) == 1)
    #expect(Self.missingLine(of: snippet, in: ["let a = 2", "let b = 2"]) == 0)
  }
}
