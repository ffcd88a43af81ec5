import Foundation

/// A folder of its own for each test, which goes with this value.
final class Folder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(path: "millrace-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  func file(_ name: String) -> URL { url.appending(path: name) }

  /// Writes lines to a file in it.
  func write(_ lines: [String], to name: String = "shelf.jsonl") throws {
    try lines.map { $0 + "\n" }.joined().write(to: file(name), atomically: true, encoding: .utf8)
  }
}
