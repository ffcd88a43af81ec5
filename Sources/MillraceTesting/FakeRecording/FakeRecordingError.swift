/// The reason for which a recording of a gateway's calls cannot be written or replayed.
public struct FakeRecordingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reasons there are; more may come.
  public struct Code: Sendable, Hashable {
    fileprivate enum Kind: Sendable, Hashable {
      case inaccessible, inUse, broken, newer, withoutCall, empty, finished
    }

    fileprivate let kind: Kind

    /// The file cannot be read or written.
    public static let inaccessible = Code(kind: .inaccessible)

    /// Another recorder writes to the file.
    public static let inUse = Code(kind: .inUse)

    /// A line is not what it should be.
    public static let broken = Code(kind: .broken)

    /// The file is of a newer version.
    public static let newer = Code(kind: .newer)

    /// The file has no call of that name.
    public static let withoutCall = Code(kind: .withoutCall)

    /// Nothing was recorded.
    public static let empty = Code(kind: .empty)

    /// The recording was finished before.
    public static let finished = Code(kind: .finished)
  }

  /// The reason.
  public let code: Code

  /// The line of the file that it is about, from 1; nil if it is about the whole file.
  public let line: Int?

  /// The reason as a sentence, with the file, the line and the fix.
  public let description: String

  init(_ code: Code, _ path: String, line: Int? = nil, _ sentence: String) {
    self.code = code
    self.line = line
    description = "\(path)\(line.map { ":\($0)" } ?? ""): \(sentence)"
  }
}
