import Foundation
import MillraceEntries

extension RecordingError {
  static func unreadable(_ name: String, _ error: any Error) -> RecordingError {
    RecordingError(.unreadable, "\(name) cannot be read: \(reason(of: error)); give the path of a recording.")
  }

  static func empty(_ name: String) -> RecordingError {
    RecordingError(
      .notARecording, "\(name) is empty, so the recorder had written nothing yet; take another recording.")
  }

  static let noHeader = RecordingError(
    .notARecording, line: 1,
    "Line 1 is no header of a recording; give a file that a FileRecorder wrote, from its first line on.")

  static let cutHeader = RecordingError(
    .cutEnd, line: 1, "Line 1, the header, is cut in the middle, so there is nothing to replay; take another recording."
  )

  static func newer(_ version: Int) -> RecordingError {
    RecordingError(
      .newerVersion, line: 1,
      """
      Line 1 says that the recording has version \(version) of the format, and this program reads up to version \
      \(RecordingHeader.currentVersion); read it with a newer version of Millrace.
      """)
  }

  static func secondHeader(line: Int) -> RecordingError {
    RecordingError(
      .wrongOrder, line: line,
      "Line \(line) is a second header, so two recordings stand in one file; split it before that line.")
  }

  static func cutEnd(line: Int) -> RecordingError {
    RecordingError(
      .cutEnd, line: line,
      """
      Line \(line), the last one, is cut in the middle, by a crash or because it is still being written; accept the cut end \
      (acceptsCutEnd: true) to read what stands before it.
      """)
  }

  static func longLine(_ line: Int, longest: Int) -> RecordingError {
    RecordingError(
      .brokenLine, line: line,
      "Line \(line) has more than \(longest) bytes, so its end is missing; take the file as the recorder wrote it.")
  }

  static func damagedState(line: Int) -> RecordingError {
    RecordingError(
      .brokenLine, line: line,
      """
      Line \(line) has another state than the one its hash was made of, so the line was damaged or changed; take the file as the \
      recorder wrote it, or take "hash" out of the line if it was changed on purpose.
      """)
  }

  /// - Parameters:
  ///   - recorded: the types that the recording is of; nil if its header does not tell.
  ///   - types: the types that it is read with; nil if those read any JSON.
  static func broken(
    line: Int, _ error: any Error, of recorded: TypeNames?, readWith types: TypeNames?
  ) -> RecordingError {
    let fix =
      if let types, isAboutValue(error) {
        fix(of: recorded, readWith: types)
      } else {
        "The line was damaged; take the file as the recorder wrote it."
      }
    return RecordingError(
      .brokenLine, line: line, "Line \(line) cannot be read: \(DecodingReason.text(of: error)). \(fix)")
  }

  /// The advice where a value was encoded by other types than those that it is read with.
  private static func fix(of recorded: TypeNames?, readWith types: TypeNames) -> String {
    if let recorded, recorded != types {
      return """
        The recording is of \(recorded), and is read with \(types): read it with the types that it is of, or let these decode \
        what those have encoded, if they are the same by another name.
        """
    }
    return """
      If the types\(recorded.map { " \($0)" } ?? "") have changed since it was recorded, let them decode what they encoded then, \
      or read it with that version of the program.
      """
  }

  /// Whether an error is one of a service's own types, and not of the format: it is about what stands in a value.
  private static func isAboutValue(_ error: any Error) -> Bool {
    let key: String? =
      switch error {
      case DecodingError.keyNotFound(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
        context.codingPath.first?.stringValue
      // Thrown by a type of the service.
      default: "state"
      }
    return key.map { ["action", "mutation", "state"].contains($0) } ?? false
  }
}

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
