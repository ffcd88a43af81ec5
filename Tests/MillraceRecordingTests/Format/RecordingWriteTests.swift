import Foundation
import Testing

@testable import MillraceRecording

@Suite("Writing a recording")
struct RecordingWriteTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private var recording: Recording<Till> { RecordingFormatTests.recording }

  @Test("It takes the place of what is there as a whole; who reads that still has it")
  func replaces() throws {
    let url = folder.file()
    try Data("what is there".utf8).write(to: url)
    let reader = try FileHandle(forReadingFrom: url)
    try recording.write(to: url)
    #expect(try reader.readToEnd() == Data("what is there".utf8))
    #expect(try folder.lines() == RecordingFormatTests.lines)
    #expect(try folder.names() == ["till.jsonl"])
    let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("A link stays one, and what it leads to is written")
  func link() throws {
    try Data().write(to: folder.file("real"))
    try FileManager.default.createSymbolicLink(at: folder.file("link"), withDestinationURL: folder.file("real"))
    try recording.write(to: folder.file("link"))
    #expect(try folder.lines("real") == RecordingFormatTests.lines)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link").path).hasSuffix("real"))
  }

  @Test("A path that is no ordinary file is left as it is, and a missing folder is told")
  func refused() throws {
    let inside = folder.file("inside")
    try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
    let error = #expect(throws: RecordingError.self) { try recording.write(to: inside) }
    #expect(
      error?.description == """
        '\(inside.path)' is no ordinary file, and is left as it is; give the recording the name of a file of its own.
        """)
    let missing = folder.file("missing/till.jsonl")
    let other = #expect(throws: RecordingError.self) { try recording.write(to: missing) }
    #expect(
      other?.description == """
        The recording cannot be written to '\(missing.path)': No such file or directory; free space there, or choose another file.
        """)
    #expect(try folder.names() == ["inside"])
  }
}
