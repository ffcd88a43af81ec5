import Foundation
import Testing

@testable import MillraceLoad

@Suite("ReportFile")
struct ReportFileTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()) ?? []
  }

  @Test("A file is as it was until the page is written, and then has it whole, readable for its owner only")
  func replaced() throws {
    let file = folder.file("page.html")
    try folder.write(["yesterday"], to: "page.html")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    let report = try ReportFile(file.path)
    #expect(try String(contentsOf: file, encoding: .utf8) == "yesterday\n" && names == ["page.html"])
    try report.write("today")
    #expect(try String(contentsOf: file, encoding: .utf8) == "today" && names == ["page.html"])
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("A symbolic link is kept, and its target is replaced")
  func link() throws {
    try folder.write(["yesterday"], to: "page.html")
    let link = folder.file("latest.html")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.file("page.html"))
    try ReportFile(link.path).write("today")
    #expect(try String(contentsOf: folder.file("page.html"), encoding: .utf8) == "today")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == folder.file("page.html").path)
  }

  @Test("A device is written to and not replaced")
  func device() throws {
    try ReportFile("/dev/null").write("today")
    var status = stat()
    #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    let full = try ReportFile("/dev/full")
    let error = #expect(throws: ReportFile.Failure.self) { try full.write("today") }
    #expect(error?.description.hasPrefix("'/dev/full' cannot be written (No space left on device); free space") == true)
  }

  @Test("A folder is refused before the run")
  func refused() throws {
    let error = #expect(throws: ReportFile.Failure.self) { try ReportFile(folder.url.path) }
    #expect(
      error?.description == "'\(folder.url.path)' cannot be written, because it is a folder; name a file in it.")
  }

  @Test("A page that cannot be moved to its place leaves no file behind")
  func blocked() throws {
    let report = try ReportFile(folder.file("page.html").path)
    try FileManager.default.createDirectory(at: folder.file("page.html"), withIntermediateDirectories: false)
    #expect(throws: ReportFile.Failure.self) { try report.write("today") }
    #expect(names == ["page.html"])
  }
}
