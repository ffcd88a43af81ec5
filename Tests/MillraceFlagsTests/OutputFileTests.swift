import Foundation
import MillraceFlags
import Testing

@Suite("Output file")
struct OutputFileTests {
  @Test(
    "A path at which no file can be written is refused with the reason and the fix",
    arguments: [
      ("-", "but it does not write to standard output; name a file"),
      ("/", "which is a folder; name a file in it"),
      ("/nowhere/x", "whose folder does not exist; make it, or name a file in another one"),
      ("/dev/null/x", "whose folder does not exist; make it, or name a file in another one"),
    ])
  func refused(path: String, problem: String) {
    let error = #expect(throws: FlagError.self) { try FlagError.checkOutputFile(path, of: "--record") }
    #expect(error?.message == "--record was given '\(path)', \(problem).")
  }

  @Test("A file of a folder that can be written to is accepted, whether it exists or not")
  func accepted() throws {
    let folder = FileManager.default.temporaryDirectory
    try FlagError.checkOutputFile(folder.appending(path: "\(UUID().uuidString).jsonl").path, of: "--record")
    try FlagError.checkOutputFile("./-", of: "--record")
    try FlagError.checkOutputFile("/dev/full", of: "--record")
  }
}
