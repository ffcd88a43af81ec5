import Foundation
import MillraceFlags
import MillraceLoopback
import MillraceTesting
import Testing

@testable import PulseService

/// User, password, query and fragment of the URLs that pulse is given reached its output, its errors, and the bodies that it posts.
@Suite("Secrets in the URLs of pulse", .timeLimit(.minutes(2)))
struct SecretsTests {
  private static let words = ["wilma", "fortuna", "sesame", "mellon", "gandalf"]

  private func expectNoSecret(in text: String, _ place: String, sourceLocation: SourceLocation = #_sourceLocation) {
    for word in Self.words { #expect(!text.contains(word), "\(place): \(text)", sourceLocation: sourceLocation) }
  }

  @Test("They are neither in what pulse writes, nor in its recording, nor in what it posts", arguments: [true, false])
  func process(isJSON: Bool) async throws {
    let requests = Recorder<LoopbackRequest>()
    let responder = try LoopbackResponder.toRequests { request in
      if request.method == "POST" { requests.record(request) }
      return request.method == "POST" ? .answer() : .answer(status: 404, body: "")
    }
    defer { responder.stop() }
    let file = FileManager.default.temporaryDirectory.appending(path: "pulse-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    let host = responder.url("").dropFirst("http://".count)
    let url = "http://wilma:fortuna@\(host)/health?token=sesame#gandalf"
    let other = "http://wilma:fortuna@\(host)/health?token=mellon#gandalf"
    let pulse = try PulseProcess(
      [
        "--once", "--every", "5", "--watch", url, "--watch", other, "--alert", "\(other) down", "--alert",
        "target down",
        "--record", file.path, "--notify", responder.url("/gandalf"),
      ] + (isJSON ? ["--json"] : []))
    let output = try await pulse.rest(of: pulse.output)
    expectNoSecret(in: output, "standard output")
    #expect(output.contains("http://…@\(host)/health?…#2 down"))
    expectNoSecret(in: try await pulse.rest(of: pulse.errors), "standard error")
    #expect(await pulse.exitCode == 2)
    for request in try await requests.next(3) {
      expectNoSecret(in: request.body, "a notice")
      #expect(request.body.contains(#""subject":"http://…@\#(host)/health?…"#))
    }
    expectNoSecret(in: try String(contentsOf: file, encoding: .utf8), "the recording")
  }

  @Test(
    "They are in no error about the command line",
    arguments: [
      ["--watch", "http://wilma:fortuna@/?sesame"], ["--watch", "wilma:fortuna@a/b?sesame#gandalf"],
      ["--watch", "http://wilma:for/tuna fortuna@a b?sesame"], ["--watch", "tcp://wilma:fortuna@a:1"],
      ["--watch", "tcp://a:1#sesame"], ["--watch", "ftp://wilma:fortuna@a?sesame"],
      ["--alert", "http://wilma:fortuna@a?sesame down"], ["--alert", "http://wilma:fortuna@a?sesame#gandalf up"],
      ["--alert", "http://a down http://wilma:fortuna@b?sesame"], ["--notify", "https://a/gandalf"],
      ["--notify", "https://wilma:fortuna@a/gandalf?sesame"], ["--notify", "ftp://a/gandalf"],
      ["--notify", "a.test/gandalf"], ["--notify", "https:/a/gandalf"], ["--notify", "https://a /gandalf"],
      ["--notify", "https://a", "https://b/gandalf"], ["http://wilma:fortuna@a/gandalf?sesame"],
      ["--json=http://wilma:fortuna@a?sesame"], ["--every", "http://wilma:fortuna@a?sesame"],
      ["--rules", "http://wilma:fortuna@a?sesame"], ["--record", "http://wilma:fortuna@a?sesame"],
    ])
  func errors(arguments: [String]) {
    let error = #expect(throws: FlagError.self) { try Options(try Options.flags.parse(arguments)) }
    expectNoSecret(in: error?.message ?? "", "the error")
  }

  @Test("They are in no error about a rules file, and a rule may call its target by URL or by name")
  func rulesFile() throws {
    let url = "http://wilma:fortuna@a/b?sesame#gandalf"
    let targets = TargetNames(try ["http://a/b", url, "http://wilma@a/b?mellon"].map { try Endpoint($0) }.named)
    for text in ["\(url) up", "http://wilma:fortuna@b down", "\(url) down \(url)"] {
      let data = try JSONEncoder().encode([text])
      let error = #expect(throws: RulesFileError.self) { try RulesFile.rules(in: data, about: targets) }
      expectNoSecret(in: error?.description ?? "", "the error")
    }
    for text in [" \(url) down", "http://wilma@a/b?mellon down", "http://…@a/b?…#2 down", "http://a/b down"] {
      let rule = try AlertRule(text, about: targets)
      expectNoSecret(in: "\(rule)", "the rule")
      #expect(rule.text.hasSuffix("a/b down") || rule.text.hasSuffix("…#2 down") || rule.text == " http://…@a/b?… down")
      #expect(try AlertRule(rule.text, about: targets) == rule)
    }
  }
}
