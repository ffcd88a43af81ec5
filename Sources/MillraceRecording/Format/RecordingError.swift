import MillraceEntries

/// The reason for which a recording could not be written, read or used.
public struct RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reasons there are; more may come.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The name of the reason.
    public var description: String { name }

    /// The file cannot be opened or read.
    public static let unreadable = Code(name: "unreadable")
    /// The file, or its first line, is no recording.
    public static let notARecording = Code(name: "notARecording")
    /// The recording has a newer format than this program reads.
    public static let newerVersion = Code(name: "newerVersion")
    /// A line is no entry, or one of other types.
    public static let brokenLine = Code(name: "brokenLine")
    /// The last line is cut in the middle.
    public static let cutEnd = Code(name: "cutEnd")
    /// Lines are missing, or in another order than they were written in.
    public static let wrongOrder = Code(name: "wrongOrder")
    /// The file cannot be written.
    public static let unwritable = Code(name: "unwritable")
    /// The file was moved or removed while it was written.
    public static let moved = Code(name: "moved")
    /// The file was not written to its end in time.
    public static let unfinished = Code(name: "unfinished")
    /// A value cannot be encoded.
    public static let unencodable = Code(name: "unencodable")
    /// A revision is not in the recording.
    public static let notRecorded = Code(name: "notRecorded")
  }

  /// The reason.
  public let code: Code

  /// The number of the line, counted from 1; nil if it is not about a line.
  public let line: Int?

  /// The failure as a sentence, with the fix.
  public let description: String

  init(_ code: Code, line: Int? = nil, _ description: String) {
    self.code = code
    self.line = line
    // Parts of it may come from a file of unknown origin.
    self.description = description.shown()
  }
}
