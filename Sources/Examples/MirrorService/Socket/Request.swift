import MillraceSocket

/// A request of a client, as its line says it; the content of a `PUT` follows the line.
enum Request: LineRequest, Equatable {
  case get(String, String)
  case put(String, String, length: Int)
  case add(String)
  case remove(String)
  case status
  case metrics

  init(_ line: String, largest: Int) throws(InvalidRequest) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    switch (words[0], words.count) {
    case ("GET", 2):
      let (repository, name) = try Self.path(words[1])
      self = .get(repository, name)
    case ("PUT", 3):
      let (repository, name) = try Self.path(words[1])
      guard let length = Int(words[2]), 0...largest ~= length else {
        throw InvalidRequest("PUT needs a length from 0 to \(largest); write for example PUT libs/zlib 1024.")
      }
      self = .put(repository, name, length: length)
    case ("ADD", 2): self = .add(try Self.repository(words[1]))
    case ("REMOVE", 2): self = .remove(try Self.repository(words[1]))
    case ("STATUS", 1): self = .status
    case ("METRICS", 1): self = .metrics
    default:
      throw InvalidRequest(
        "A request is GET REPOSITORY/NAME, PUT REPOSITORY/NAME LENGTH, ADD REPOSITORY, REMOVE REPOSITORY, "
          + "STATUS or METRICS.")
    }
  }

  var length: Int { if case .put(_, _, let length) = self { length } else { 0 } }

  /// Reads the name of a repository.
  static func repository(_ text: String) throws(InvalidRequest) -> String {
    guard isName(text) else {
      throw InvalidRequest("The name of a repository has letters, digits, '.', '-' and '_', and is not '.' or '..'.")
    }
    return text
  }

  private static func path(_ text: String) throws(InvalidRequest) -> (String, String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count > 1, parts.allSatisfy(isName) else {
      throw InvalidRequest(
        "An artifact is REPOSITORY/NAME of letters, digits, '.', '-' and '_'; a NAME may have further '/'.")
    }
    return (parts[0], parts.dropFirst().joined(separator: "/"))
  }

  private static func isName(_ text: String) -> Bool {
    let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_".utf8
    return text.utf8.allSatisfy(plain.contains) && !["", ".", ".."].contains(text)
  }
}

/// The answer to a request, by its word.
typealias Answer = LineAnswer

extension LineAnswer.Word {
  /// The upstream has no such artifact.
  static let missing = Self("MISSING")
  /// The mirror has no such repository.
  static let unknown = Self("UNKNOWN")
  /// The request took too long.
  static let timeout = Self("TIMEOUT")
  /// The upstream did not do what it was asked for.
  static let failed = Self("FAILED")
}
