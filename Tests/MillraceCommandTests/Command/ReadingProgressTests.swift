import Foundation
import Millrace
import MillraceFlags
import Testing

@testable import MillraceCommand

@Suite("Reading progress")
struct ReadingProgressTests {
  /// The text that was written.
  private final class Screen: Sendable {
    let text = Lock("")
  }

  private let folder: Folder
  private let screen = Screen()

  init() throws {
    folder = try Folder()
  }

  /// Creates a file of `bytes` bytes that takes no place on the disk.
  private func file(bytes: Int) throws -> RecordingFile {
    try Data().write(to: folder.file("f"))
    let handle = try FileHandle(forWritingTo: folder.file("f"))
    try handle.truncate(atOffset: UInt64(bytes))
    try handle.close()
    return RecordingFile(path: folder.file("f").path, acceptsCutEnd: false)
  }

  private func told(of file: RecordingFile) -> ReadingProgress? {
    ReadingProgress(
      of: file, line: StatusLine(columns: { 300 }) { [screen] text in screen.text.withLock { $0 += text } })
  }

  @Test("Each percent of a large file is told once, in one line that is taken away at the end")
  func percents() throws {
    let file = try file(bytes: 64 << 20)
    let progress = try #require(told(of: file))
    for bytes in [0, 1, 32 << 20, (32 << 20) + 1, 65 << 20] { progress.read(bytes) }
    progress.end()
    progress.end()
    let lines = [0, 50, 100].map { "\r\u{1B}[K\($0) % of 64 MiB of '\(file.path)'" }.joined()
    #expect(screen.text.withLock { $0 } == lines + "\r\u{1B}[K")
  }

  @Test("Where nothing was told, nothing is taken away")
  func nothing() throws {
    let progress = try #require(try told(of: file(bytes: 64 << 20)))
    progress.end()
    #expect(screen.text.withLock { $0 } == "")
  }

  @Test("A file that is read at once, and one that is not there, are not told of")
  func small() throws {
    let small = try told(of: file(bytes: ReadingProgress.large - 1))
    #expect(small == nil)
    let missing = told(of: RecordingFile(path: folder.file("missing").path, acceptsCutEnd: false))
    #expect(missing == nil)
  }

  @Test("Where no line can be written over, no progress is shown")
  func noTerminal() throws {
    let progress = try ReadingProgress(of: file(bytes: 64 << 20), line: StatusLine(columns: nil) { _ in })
    #expect(progress == nil)
  }
}
