import Foundation

/// A file of this repository, for tests that compare a page with code.
enum RepositoryFile {
  /// The text of the file at `path`, relative to the package.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The paths of the files below a folder whose path ends so, sorted.
  static func names(in folder: String, suffix: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path())
      .map { "\(folder)/\($0)" }.filter { $0.hasSuffix(suffix) }.sorted()
  }

  private static var root: URL { URL(filePath: #filePath).appending(path: "../../../../").standardized }
}
