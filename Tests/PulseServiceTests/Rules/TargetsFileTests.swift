import Foundation
import MillraceFlags
import Testing

@testable import PulseService

@Suite("TargetsFile")
struct TargetsFileTests {
  private static let example =
    #"{"targets": ["http://localhost:8080"], "webhooks": ["http://localhost:9000/alerts"]}"#

  /// Lends the path of a file with these contents.
  private func withFile<Result>(_ contents: String, _ body: (String) throws -> Result) throws -> Result {
    let file = FileManager.default.temporaryDirectory.appending(path: "targets-\(UUID().uuidString).json")
    try Data(contents.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try body(file.path)
  }

  @Test("A file has targets and webhooks, and a list that is left out is empty")
  func contents() throws {
    let contents = try withFile(#"{"targets": ["http://a?k=1", "tcp://b:1"], "webhooks": ["https://c/x"]}"#) {
      try TargetsFile(path: $0).load()
    }
    #expect(contents.endpoints == [try Endpoint("http://a?k=1"), try Endpoint("tcp://b:1")])
    #expect(contents.webhooks == [try Webhook("https://c/x")])
    #expect(try withFile("{}") { try TargetsFile(path: $0).load() } == TargetsFile.Contents())
  }

  @Test(
    "A file that is wrong is refused with the line, the part and the fix, without a secret",
    arguments: [
      ("", "which is empty, as a pipe is that was read before; name a file such as \(example)"),
      ("[]", "whose content is no object; write for example \(example)"),
      (
        "{\n 'targets': []}",
        #"which is no JSON: line 2, column 2 has the quote ' where JSON has "; write " around each text"#
      ),
      (
        #"{"targets": [{"url": "http://a", "every": 1e400}]}"#,
        "which has the number 1e400, which does not fit; write a smaller number"
      ),
      (
        #"{"target": []}"#,
        "whose member 'target' is not known; write targets or webhooks"
      ),
      (
        "{\"targets\": [\"http://a\",\n  {\"url\": \"http://b?secret\", \"evry\": 2}]}",
        "whose member 'evry' of target 2 is not known; write url, every or limit"
      ),
      (
        #"{"webhooks": [{"url": "http://a", "retry": 1}]}"#,
        "whose member 'retry' of webhook 1 is not known; write url or limit"
      ),
      (
        #"{"webhooks": [{"url": "http://a", "every": 1}]}"#,
        "whose member 'every' of webhook 1 is not known; remove it, for only a target has it"
      ),
      (
        #"{"targets": [{"every": 1}]}"#,
        #"whose target 1 has no member 'url'; write for example {"url": "http://localhost:8080"}"#
      ),
      (
        #"{"targets": [{"url": 7}]}"#,
        #"whose member 'url' of target 1 is no URL in double quotes; write for example {"url": "http://localhost:8080"}"#
      ),
      (
        #"{"targets": {"url": "http://a"}}"#,
        "whose member 'targets' is no list; write for example \(example)"
      ),
      (
        #"{"targets": [null]}"#,
        #"whose target 1 is neither a URL in double quotes nor an object; write for example {"url": "http://localhost:8080"}"#
      ),
      (
        #"{"webhooks": ["http://a", 7]}"#,
        #"whose webhook 2 is neither a URL in double quotes nor an object; write for example {"url": "http://localhost:8080"}"#
      ),
      (
        #"{"targets": [{"url": "http://a", "limit": 0}]}"#,
        "whose member 'limit' of target 1 is no number of seconds from 0.000000001 to 1000000000; write for example 2.5"
      ),
      (
        #"{"targets": [{"url": "http://a", "limit": "5"}]}"#,
        "whose member 'limit' of target 1 is no number of seconds from 0.000000001 to 1000000000; write for example 2.5"
      ),
      (
        #"{"targets": [{"url": "http://a", "every": 99999999999999999999}]}"#,
        "whose member 'every' of target 1 is no number of seconds from 0.000000001 to 1000000000; write for example 2.5"
      ),
      (
        #"{"targets": ["ftp://u:secret@a"]}"#,
        "whose target 1, 'ftp://…@a', is not a URL that begins with http://, https:// or tcp://; write for example http://localhost:8080"
      ),
      (
        #"{"webhooks": ["http://a", "ftp://b/secret"]}"#,
        "whose webhook 2, 'ftp://b/…', is not a URL that begins with http:// or https://; write for example http://localhost:8080/alerts"
      ),
    ])
  func wrong(contents: String, problem: String) throws {
    try withFile(contents) { path in
      let error = #expect(throws: FlagError.self) { try TargetsFile(path: path).load() }
      #expect(error?.message == "--targets was given '\(path)', \(problem).")
    }
  }

  @Test("A target has an interval and a limit of its own, and a webhook a limit")
  func times() throws {
    let text =
      #"{"targets": [{"url": "http://a", "every": 30, "limit": 0.5}], "webhooks": [{"url": "https://c/x", "limit": 10}]}"#
    let contents = try withFile(text) { try TargetsFile(path: $0).load() }
    #expect(contents.endpoints.map(\.interval) == [.seconds(30)])
    #expect(contents.endpoints.map(\.limit) == [.milliseconds(500)])
    #expect(contents.webhooks.map(\.limit) == [.seconds(10)])
  }

  @Test("Targets and webhooks of a file stand behind those of the command line, and rules of all are about all targets")
  func options() throws {
    try withFile(#"{"targets": ["http://b", "http://a"], "webhooks": ["https://c/x"]}"#) { path in
      let options = try Options(
        try Options.flags.parse(["--watch", "http://a", "--alert", "http://b down", "--targets", path]))
      #expect(options.plan.endpoints.map(\.name) == ["http://a", "http://b"])
      #expect(options.plan.webhooks.map(\.name) == ["https://c/…"])
      #expect(options.plan.rules.map(\.text) == ["http://b down"])
      #expect(try options.plan.files?.load() == options.plan.configuration)
    }
  }
}
