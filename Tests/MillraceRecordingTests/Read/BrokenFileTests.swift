import Foundation
import Testing

@testable import MillraceRecording

/// The whole errors for files that are no recordings, or damaged ones.
@Suite("Broken files")
struct BrokenFileTests {
  /// A file that is broken somehow, and what is said of it.
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var code: RecordingError.Code
    var line: Int?
    var message: String
    var lines: @Sendable (inout [String]) -> Void
  }

  static let types =
    "(MillraceRecordingTests.Till.Action, MillraceRecordingTests.Till.Mutation, MillraceRecordingTests.Till.State)"
  static let changed =
    "If the types \(types) have changed since it was recorded, let them decode what they encoded then, or read it with that "
    + "version of the program."
  static let damaged = "The line was damaged; take the file as the recorder wrote it."

  static let cases = [
    Case(
      testDescription: "another JSON file", code: .notARecording, line: 1,
      message:
        "Line 1 is no header of a recording; give a file that a FileRecorder wrote, from its first line on."
    ) { $0[0] = #"{"a":1}"# },
    Case(
      testDescription: "no header", code: .notARecording, line: 1,
      message:
        "Line 1 is no header of a recording; give a file that a FileRecorder wrote, from its first line on."
    ) { $0.removeFirst() },
    Case(
      testDescription: "a newer version", code: .newerVersion, line: 1,
      message: """
        Line 1 says that the recording has version 4 of the format, and this program reads up to version 3; read it with a \
        newer version of Millrace.
        """
    ) { $0[0] = #"{"millraceRecording":4,"anything":[]}"# },
    Case(
      testDescription: "a state of another type", code: .brokenLine, line: 1,
      message: """
        Line 1 cannot be read: "state.total" is missing. \(changed)
        """
    ) { $0[0].replace("\"total\"", with: "\"sum\"") },
    Case(
      testDescription: "no JSON", code: .brokenLine, line: 3,
      message:
        "Line 3 cannot be read: it is no JSON, because its column 9 is the end, and something is missing. \(damaged)"
    ) { $0[2] = "{\"kind\":" },
    Case(
      testDescription: "a number that does not fit", code: .brokenLine, line: 3,
      message: "Line 3 cannot be read: it has the number 1e400, which does not fit. \(damaged)"
    ) { $0[2] = "{\"kind\":\"action\",\"at\":1e400}" },
    Case(
      testDescription: "an empty line", code: .brokenLine, line: 3,
      message:
        "Line 3 cannot be read: it is no JSON, because its column 1 is the end, and something is missing. \(damaged)"
    ) { $0.insert("", at: 2) },
    Case(
      testDescription: "blank lines before an entry", code: .brokenLine, line: 3,
      message:
        "Line 3 cannot be read: it is no JSON, because its column 2 is the end, and something is missing. \(damaged)"
    ) { $0.insert(contentsOf: [" ", "", "\t\r"], at: 2) },
    Case(
      testDescription: "a step without a result", code: .brokenLine, line: 12,
      message: "Line 12 cannot be read: \"failure\" is missing. \(damaged)"
    ) { $0[11].replace("\"value\"", with: "\"result\"") },
    Case(
      testDescription: "an error that is no text", code: .brokenLine, line: 10,
      message: "Line 10 cannot be read: \"error\" is no String. \(damaged)"
    ) { $0[9].replace(#""too \"late\"""#, with: "1") },
    Case(
      testDescription: "a list", code: .brokenLine, line: 3,
      message: "Line 3 cannot be read: it is no Dictionary<String, Any>. \(damaged)"
    ) { $0[2] = "[1]" },
    Case(
      testDescription: "no kind", code: .brokenLine, line: 4,
      message: "Line 4 cannot be read: \"kind\" is missing. \(damaged)"
    ) { $0[3].replace("\"kind\":\"commit\",", with: "") },
    Case(
      testDescription: "a time that nobody can have come to", code: .brokenLine, line: 4,
      message: "Line 4 cannot be read: \"at\" has no value that is possible. \(damaged)"
    ) { $0[3].replace("\"at\":12,", with: "\"at\":9223372036854775807,") },
    Case(
      testDescription: "a call without its time", code: .brokenLine, line: 5,
      message: "Line 5 cannot be read: \"took\" is missing. \(damaged)"
    ) { $0[4].replace("\"took\":2,", with: "") },
    Case(
      testDescription: "a rest of less than no time", code: .brokenLine, line: 9,
      message: "Line 9 cannot be read: \"duration\" has no value that is possible. \(damaged)"
    ) { $0[8].replace("75000000", with: "-1") },
    Case(
      testDescription: "a rest without its attempt", code: .brokenLine, line: 9,
      message: "Line 9 cannot be read: \"attempt\" is missing. \(damaged)"
    ) { $0[8].replace("\"attempt\":2,", with: "") },
    Case(
      testDescription: "a commit without its mutation", code: .brokenLine, line: 4,
      message: "Line 4 cannot be read: \"mutation\" is missing. \(damaged)"
    ) { $0[3].replace(",\"mutation\":{\"looking\":{}}", with: "") },
    Case(
      testDescription: "a mutation without a part", code: .brokenLine, line: 4,
      message: "Line 4 cannot be read: \"mutation.welcomed._0\" is missing. \(changed)"
    ) { $0[3].replace("\"looking\"", with: "\"welcomed\"") },
    Case(
      testDescription: "a missing part", code: .brokenLine, line: 4,
      message: "Line 4 cannot be read: \"revision\" is missing. \(damaged)"
    ) { $0[3].replace("\"revision\":1,", with: "") },
    Case(
      testDescription: "another type", code: .brokenLine, line: 4,
      message: "Line 4 cannot be read: \"revision\" is no Int. \(damaged)"
    ) { $0[3].replace("\"revision\":1,", with: "\"revision\":\"1\",") },
    Case(
      testDescription: "null", code: .brokenLine, line: 4,
      message: "Line 4 cannot be read: \"revision\" is null, and no Int. \(damaged)"
    ) { $0[3].replace("\"revision\":1,", with: "\"revision\":null,") },
    Case(
      testDescription: "a run that is none", code: .brokenLine, line: 4,
      message: "Line 4 cannot be read: \"run\" has no value that is possible. \(damaged)"
    ) { $0[3].replace("#5@1", with: "5") },
    Case(
      testDescription: "a kind that there is not", code: .brokenLine, line: 4,
      message: "Line 4 cannot be read: \"kind\" has no value that is possible. \(damaged)"
    ) { $0[3].replace("\"commit\"", with: "\"comet\"") },
    Case(
      testDescription: "a call without a reply", code: .brokenLine, line: 5,
      message: "Line 5 cannot be read: \"reply\" is missing. \(damaged)"
    ) { $0[4].replace("\"reply\"", with: "\"replay\"") },
    Case(
      testDescription: "a mutation that there is not", code: .brokenLine, line: 4,
      message:
        "Line 4 cannot be read: \"mutation\" is no Mutation. \(changed)"
    ) { $0[3].replace("looking", with: "lurking") },
    Case(
      testDescription: "a missing commit", code: .wrongOrder, line: 10,
      message: """
        Line 10 has the state of revision 1, but the last commit before it has revision 0: lines are missing, or are in another \
        order; take the file as the recorder wrote it.
        """
    ) { $0.remove(at: 3) },
    Case(
      testDescription: "a commit twice", code: .wrongOrder, line: 5,
      message: """
        Line 5 commits revision 1, but the last commit before it has revision 1: lines are missing, or are in another order; \
        take the file as the recorder wrote it.
        """
    ) { $0.insert($0[3], at: 4) },
    Case(
      testDescription: "a state that was changed", code: .brokenLine, line: 11,
      message: """
        Line 11 has another state than the one its hash was made of, so the line was damaged or changed; take the file as the \
        recorder wrote it, or take "hash" out of the line if it was changed on purpose.
        """
    ) { $0[10].replace("\"total\":0", with: "\"total\":8") },
    Case(
      testDescription: "a first state that was changed", code: .brokenLine, line: 1,
      message: """
        Line 1 has another state than the one its hash was made of, so the line was damaged or changed; take the file as the \
        recorder wrote it, or take "hash" out of the line if it was changed on purpose.
        """
    ) { $0[0].replace("\"total\":0", with: "\"total\":8") },
    Case(
      testDescription: "types of another name, and another content", code: .brokenLine, line: 4,
      message: """
        Line 4 cannot be read: "mutation" is no Mutation. The recording is of (Shop.Action, Shop.Mutation, Shop.State), and is \
        read with \(types): read it with the types that it is of, or let these decode what those have encoded, if they are the \
        same by another name.
        """
    ) { lines in
      lines[0].replace("MillraceRecordingTests.Till", with: "Shop")
      lines[3].replace("looking", with: "lurking")
    },
    Case(
      testDescription: "a state of types of another name", code: .brokenLine, line: 1,
      message: """
        Line 1 cannot be read: "state.total" is missing. The recording is of (Shop.Action, Shop.Mutation, Shop.State), and is \
        read with \(types): read it with the types that it is of, or let these decode what those have encoded, if they are the \
        same by another name.
        """
    ) { lines in
      lines[0].replace("MillraceRecordingTests.Till", with: "Shop")
      lines[0].replace("\"total\"", with: "\"sum\"")
    },
    Case(
      testDescription: "a name that would steer a terminal", code: .brokenLine, line: 4,
      message: """
        Line 4 cannot be read: "mutation" is no Mutation. The recording is of (\\u{1B}[31m.Action, \\u{1B}[31m.Mutation, \
        \\u{1B}[31m.State), and is read with \(types): read it with the types that it is of, or let these decode what those have \
        encoded, if they are the same by another name.
        """
    ) { lines in
      lines[0].replace("MillraceRecordingTests.Till", with: "\\u001b[31m")
      lines[3].replace("looking", with: "lurking")
    },
    Case(
      testDescription: "two recordings in one file", code: .wrongOrder, line: 15,
      message: "Line 15 is a second header, so two recordings stand in one file; split it before that line."
    ) { $0 += $0 },
  ]

  @Test("Of a broken file the line is told, and the fix", arguments: cases)
  func broken(_ broken: Case) throws {
    var lines = RecordingFormatTests.lines
    broken.lines(&lines)
    let data = Data(lines.map { $0 + "\n" }.joined().utf8)
    for accepts in [false, true] {
      let error = #expect(throws: RecordingError.self) { try Recording<Till>.read(from: data, acceptsCutEnd: accepts) }
      #expect(error?.description == broken.message)
      #expect(error?.code == broken.code)
      #expect(error?.line == broken.line)
    }
  }

  @Test("A file that a crash has cut in its last line is an error, or is read up to there and says so")
  func cutEnd() throws {
    let data = Data(RecordingFormatTests.lines.joined(separator: "\n").utf8).dropLast(4)
    let message =
      "Line 14, the last one, is cut in the middle, by a crash or because it is still being written; accept the cut end "
      + "(acceptsCutEnd: true) to read what stands before it."
    let error = #expect(throws: RecordingError.self) { try Recording<Till>.read(from: data) }
    #expect(error?.description == message)
    #expect(error?.code == .cutEnd)
    let recording = try Recording<Till>.read(from: data, acceptsCutEnd: true)
    #expect(recording.entries.count == 12)
    #expect(recording.cut == error)
  }

  @Test("A file that ends behind its last line, without a line break, is whole")
  func noLastLineBreak() throws {
    let recording = try Recording<Till>.read(from: Data(RecordingFormatTests.lines.joined(separator: "\n").utf8))
    #expect(recording.entries.count == 13)
    #expect(recording.cut == nil)
  }

  @Test(
    "Blank lines at the end, as editors and consoles leave them, are no damage",
    arguments: ["\n", "\r\n", " ", "  \t\n", "\n\n\n", "\r\n \r\n\t"], [false, true])
  func blankLastLines(end: String, accepts: Bool) throws {
    let lines = RecordingFormatTests.lines.map { $0 + "\n" }.joined()
    let recording = try Recording<Till>.read(from: Data((lines + end).utf8), acceptsCutEnd: accepts)
    #expect(recording.entries.count == 13)
    #expect(recording.cut == nil)
  }

  @Test("A file that a program has saved with the mark of UTF-8 at its beginning is read, and its states are compared")
  func byteOrderMark() throws {
    let data = Data(("\u{FEFF}" + RecordingFormatTests.lines.map { $0 + "\n" }.joined()).utf8)
    let recording = try Recording<Till>.read(from: data)
    #expect(recording.entries.count == 13)
    #expect(recording.start.hash != nil)
    #expect(try recording.jsonLines() == data.dropFirst(3))
    let error = #expect(throws: RecordingError.self) { try Recording<Till>.read(from: Data("\u{FEFF}".utf8)) }
    #expect(error?.code == .notARecording)
  }

  @Test("Of a file that is cut in its header there is nothing to read")
  func cutHeader() throws {
    let data = Data(RecordingFormatTests.lines[0].utf8).dropLast(10)
    let error = #expect(throws: RecordingError.self) { try Recording<Till>.read(from: data, acceptsCutEnd: true) }
    #expect(
      error?.description
        == "Line 1, the header, is cut in the middle, so there is nothing to replay; take another recording.")
  }

  @Test("Of a file that is empty, or not there, the path is told")
  func noFile() throws {
    let folder = try TemporaryFolder()
    let url = folder.file()
    let missing = #expect(throws: RecordingError.self) { try Recording<Till>.read(from: url) }
    #expect(
      missing?.description
        == "'\(url.path)' cannot be read: No such file or directory; give the path of a recording.")
    #expect(missing?.code == .unreadable)
    try Data().write(to: url)
    let empty = #expect(throws: RecordingError.self) { try Recording<Till>.read(from: url) }
    #expect(
      empty?.description == "'\(url.path)' is empty, so the recorder had written nothing yet; take another recording.")
  }

  @Test("Types of another name that decode what was encoded read the recording, and so do states without a hash")
  func renamed() throws {
    var lines = RecordingFormatTests.lines
    lines[0].replace("MillraceRecordingTests.Till", with: "Shop")
    for index in [0, 10] {
      lines[index].replace(#/"hash":"[0-9a-f]{16}",/#, with: "")
      lines[index].replace("\"total\":0", with: "\"total\":8")
    }
    let recording = try Recording<Till>.read(from: Data(lines.map { $0 + "\n" }.joined().utf8))
    #expect(recording.header.action == "Shop.Action")
    #expect(recording.start.state.total == 8)
    #expect(recording.start.hash == nil)
  }

  @Test("A state in a line of another form is read without its hash, which is of the form that was written")
  func reformatted() throws {
    var lines = RecordingFormatTests.lines
    lines[10].replace("\"hash\":", with: "\"hash\": ")
    let recording = try Recording<Till>.read(from: Data(lines.map { $0 + "\n" }.joined().utf8))
    guard case .state(let state) = recording.entries[9] else {
      Issue.record("The entry is of another kind.")
      return
    }
    #expect(state.hash == nil)
    #expect(state.state.isLooking)
  }

  @Test("Of a file that does not begin as a recording no more is read than its beginning, however large it is")
  func largeBinary() throws {
    let folder = try TemporaryFolder()
    let url = folder.file()
    try Data("\u{7F}ELF".utf8).write(to: url)
    let handle = try FileHandle(forWritingTo: url)
    // It takes no room on the disk; to read it would take the memory of the machine.
    try handle.truncate(atOffset: 1 << 40)
    try handle.close()
    let error = #expect(throws: RecordingError.self) { try Recording<Till>.read(from: url) }
    #expect(error?.code == .notARecording)
  }
}
