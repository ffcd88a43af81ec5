import Foundation

/// A folder of its own for each test, which goes with this value.
final class TemporaryFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(path: "millrace-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// A file in it.
  func file(_ name: String = "till.jsonl") -> URL { url.appending(path: name) }

  /// The names of the files in it.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
  }

  /// The lines of a file in it.
  func lines(_ name: String = "till.jsonl") throws -> [String] {
    try String(contentsOf: file(name), encoding: .utf8).split(separator: "\n").map(String.init)
  }
}
