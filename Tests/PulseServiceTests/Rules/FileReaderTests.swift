import Foundation
import MillraceTerminal
import Testing

@testable import PulseService

@Suite("FileReader", .timeLimit(.minutes(1)))
struct FileReaderTests {
  private let rules = #"["load > 4"]"#

  /// The failure of reading a path within a short time.
  private func failure(_ path: String) -> String? {
    #expect(throws: FileReader.Failure.self) { try FileReader(path: path, limit: .milliseconds(50)).contents() }?.reason
  }

  /// `--rules <(…)` was "cannot be read".
  @Test("A pipe is read to its end, once; a second reading finds nothing")
  func pipe() async throws {
    let pipe = Pipe()
    let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
    async let read = blockingCall { try RulesFile(path: path).load() }
    try pipe.fileHandleForWriting.write(contentsOf: Data(rules.utf8))
    try pipe.fileHandleForWriting.close()
    #expect(try await read.map(\.text) == ["load > 4"])
    let error = #expect(throws: RulesFileError.self) { try RulesFile.rules(at: path, about: TargetNames([])) }
    #expect(error?.description.hasPrefix("which is empty, as a pipe is that was read before; name a file") == true)
  }

  @Test("A pipe without a writer is given up")
  func unwritten() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rules-\(UUID().uuidString)")
    try #require(mkfifo(folder.path, 0o600) == 0)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(failure(folder.path) == "was not written to its end within 0.05 s")
    let open = Pipe()
    try open.fileHandleForWriting.write(contentsOf: Data(rules.utf8))
    #expect(
      failure("/dev/fd/\(open.fileHandleForReading.fileDescriptor)") == "was not written to its end within 0.05 s")
  }

  @Test("A file has at most 16 MiB", arguments: [-1, 0, 1])
  func largest(difference: Int) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "rules-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(count: FileReader.largest + difference).write(to: file)
    let reader = FileReader(path: file.path, limit: nil)
    if difference > 0 {
      #expect(throws: FileReader.Failure.self) { try reader.contents() }
    } else {
      #expect(try reader.contents().count == FileReader.largest + difference)
    }
  }

  @Test("A file that is not there, is no file, or is endless is refused")
  func refused() {
    #expect(failure("/nowhere/rules.json") == "does not exist")
    #expect(failure("/") == "is a folder")
    #expect(failure("/dev/null/rules.json") == "cannot be read (Not a directory)")
    let zeros = #expect(throws: FileReader.Failure.self) { try FileReader(path: "/dev/zero", limit: nil).contents() }
    #expect(zeros?.reason == "has more than 17 MB")
  }
}
