import Foundation

/// A file of this repository, for tests that compare a page with code.
enum RepositoryFile {
  /// The text of the file at `path`, relative to the package.
  static func text(_ path: String) throws -> String {
    try String(
      contentsOf: URL(filePath: #filePath).appending(path: "../../../../\(path)").standardized, encoding: .utf8)
  }
}
