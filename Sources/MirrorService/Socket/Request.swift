import Foundation

/// A request of a client, as its line says it; the content of a `PUT` follows the line.
enum Request: Sendable, Equatable {
  case get(String, String)
  case put(String, String, count: Int)
  case add(String)
  case remove(String)
  case status
  case metrics

  /// The reason why a line is no request, as a sentence.
  struct Invalid: Error, Equatable {
    let sentence: String
  }

  /// Reads a line.
  ///
  /// - Parameter largest: the most bytes that an artifact may have.
  /// - Throws: ``Invalid``.
  init(_ line: String, largest: Int) throws(Invalid) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    switch (words[0], words.count) {
    case ("GET", 2):
      let (repository, name) = try Self.path(words[1])
      self = .get(repository, name)
    case ("PUT", 3):
      let (repository, name) = try Self.path(words[1])
      guard let count = Int(words[2]), 0...largest ~= count else {
        throw Invalid(sentence: "PUT needs a length from 0 to \(largest); write for example PUT libs/zlib 1024.")
      }
      self = .put(repository, name, count: count)
    case ("ADD", 2): self = .add(try Self.repository(words[1]))
    case ("REMOVE", 2): self = .remove(try Self.repository(words[1]))
    case ("STATUS", 1): self = .status
    case ("METRICS", 1): self = .metrics
    default:
      throw Invalid(
        sentence: "A request is GET REPOSITORY/NAME, PUT REPOSITORY/NAME LENGTH, ADD REPOSITORY, REMOVE REPOSITORY, "
          + "STATUS or METRICS.")
    }
  }

  /// Reads the name of a repository.
  static func repository(_ text: String) throws(Invalid) -> String {
    guard isName(text) else {
      throw Invalid(
        sentence: "The name of a repository has letters, digits, '.', '-' and '_', and is not '.' or '..'.")
    }
    return text
  }

  private static func path(_ text: String) throws(Invalid) -> (String, String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count > 1, parts.allSatisfy(isName) else {
      throw Invalid(
        sentence: "An artifact is REPOSITORY/NAME of letters, digits, '.', '-' and '_'; a NAME may have further '/'.")
    }
    return (parts[0], parts.dropFirst().joined(separator: "/"))
  }

  private static func isName(_ text: String) -> Bool {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isPlain && !["", ".", ".."].contains(text)
  }
}

/// An answer: a word and a length on one line, then as many bytes.
struct Answer: Sendable, Equatable {
  enum Word: String {
    /// The bytes are what was asked for.
    case ok = "OK"
    /// The upstream has no such artifact.
    case missing = "MISSING"
    /// The mirror has no such repository.
    case unknown = "UNKNOWN"
    /// The request was refused for now.
    case busy = "BUSY"
    /// The request took too long.
    case timeout = "TIMEOUT"
    /// The upstream did not do what it was asked for.
    case failed = "FAILED"
    /// The request is none, and the connection is closed.
    case invalid = "INVALID"
  }

  let word: Word
  let body: Data

  init(_ word: Word, _ body: Data) {
    self.word = word
    self.body = body
  }

  /// An answer in words.
  init(_ word: Word, _ sentence: String) {
    self.init(word, Data((sentence + "\n").utf8))
  }

  /// The bytes that are sent.
  var bytes: Data { Data("\(word.rawValue) \(body.count)\n".utf8) + body }
}
