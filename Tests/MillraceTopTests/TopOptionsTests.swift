import Foundation
import MillraceFlags
import MillraceHTTP
import Testing

@testable import MillraceTop

@Suite("millrace top, its options")
struct TopOptionsTests {
  private func options(_ arguments: String...) throws -> TopOptions {
    try TopOptions(TopOptions.flags.parse(arguments))
  }

  @Test("An address without a scheme is taken as http; what is not given has its default")
  func defaults() throws {
    let options = try options("localhost:8080")
    #expect(options.url.text == "http://localhost:8080/" && options.pause == .seconds(2) && options.count == 1_000)
    #expect(options.order == .stuck && options.filter.isEmpty && options.token == nil && options.issuers == nil)
    #expect(try self.options("https://a", "--order", "age").url.text == "https://a/")
  }

  @Test(
    "A wrong argument is refused with the fix",
    arguments: [
      (["ftp://a"], "needs an http:// or https:// URL"), ([], "needs a URL"),
      (["http://a", "--order", "size"], "one of stuck, age, store, attempts"),
      (["http://a", "--limit", "10001"], "a whole number from 1 to 10000"),
      (["http://a", "--token-file", "/nowhere/token"], "is no file with a token"),
    ])
  func refused(arguments: [String], sentence: String) {
    let error = #expect(throws: FlagError.self) { try TopOptions(TopOptions.flags.parse(arguments)) }
    #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
  }

  @Test("The token is the one line of its file")
  func token() throws {
    let file = URL.temporaryDirectory.appending(path: "token-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("abc\n".utf8).write(to: file)
    #expect(try options("http://a", "--token-file", file.path).token == "abc")
    try Data("abc\nd\n".utf8).write(to: file)
    #expect(throws: FlagError.self) { try options("http://a", "--token-file", file.path) }
  }
}
