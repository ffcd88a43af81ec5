import Foundation

/// A gateway that does each request once for its key, and remembers the keys in a folder, as a server does in a database.
struct Gateway: Sendable {
  let folder: URL

  func makeFolder() throws {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw Failure(description: "'\(folder.path)' cannot be made; give --folder a folder that can be written to.")
    }
  }

  /// Does a request, unless one with this key was done before; returns the receipt.
  func call(_ request: String, key: String) async throws -> String {
    let file = folder.appending(path: key.replacing("/", with: "_"))
    // The file is there as a whole or not at all, so that a process that is killed leaves no half of it.
    let new = folder.appending(path: ".\(UUID().uuidString)")
    try Data(request.utf8).write(to: new)
    defer { try? FileManager.default.removeItem(at: new) }
    if link(new.path, file.path) != 0, errno != EEXIST {
      throw Failure(description: "'\(request)' was not done: \(String(cString: strerror(errno))).")
    }
    return "receipt of \(key)"
  }

  /// The requests that were done, sorted.
  var done: [String] {
    get throws {
      let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      return try files.filter { !$0.lastPathComponent.hasPrefix(".") }
        .map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }.sorted()
    }
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
}
