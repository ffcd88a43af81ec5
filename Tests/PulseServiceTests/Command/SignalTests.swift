import Foundation
import MillraceLoopback
import MillraceTesting
import Testing

@testable import PulseService

@Suite("PulseCommand, its signals and webhooks, as a process", .timeLimit(.minutes(2)))
struct SignalTests {
  private struct Notice: Decodable, Equatable {
    var alert: String
    var status: String
    var reason: String?
  }

  private func notice(_ request: LoopbackRequest) throws -> Notice {
    try JSONDecoder().decode(Notice.self, from: Data(request.body.utf8))
  }

  /// Lends a file that does not exist yet.
  private func withFile(_ body: (URL) async throws -> Void) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "rules-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try await body(file)
  }

  private func write(_ rules: String, to file: URL) throws {
    try Data(rules.utf8).write(to: file)
  }

  @Test("SIGHUP replaces the rules of the file, which the webhook sees; a bad file is one line, and the rules stay")
  func hangup() async throws {
    let requests = Recorder<LoopbackRequest>()
    let responder = try LoopbackResponder.toRequests { request in
      requests.record(request)
      return .answer()
    }
    defer { responder.stop() }
    try await withFile { file in
      try write(#"["memory > 0 %"]"#, to: file)
      let pulse = try PulseProcess([
        "--json", "--every", "0.05", "--rules", file.path, "--notify", responder.url("/alerts"),
      ])
      // Taken as it comes: on a machine that is busy, what is written meanwhile is more than a pipe holds.
      async let output = pulse.rest(of: pulse.output)
      defer { pulse.end() }
      let first = try await requests.next()
      #expect(first.path == "/alerts" && first.headers["idempotency-key"]?.isEmpty == false)
      #expect(try notice(first) == Notice(alert: "memory > 0 %", status: "firing"))

      try write(#"["memory"]"#, to: file)
      pulse.send(SIGHUP)
      #expect(
        try await pulse.text(from: pulse.errors, through: "\n")
          == "pulse keeps the rules it has: --rules was given '\(file.path)', whose rule 1, 'memory', lacks >, >=, < or <= "
          + "behind 'memory'; write for example 'cpu > 90 % for 30 s'.\n")
      try FileManager.default.removeItem(at: file)
      pulse.send(SIGHUP)
      #expect(
        try await pulse.text(from: pulse.errors, through: "\n")
          == "pulse keeps the rules it has: --rules was given '\(file.path)', which does not exist; name a file with rules "
          + "such as [\"cpu > 90 % for 30 s\", \"target down for 2 probes\"].\n")

      try write(#"["disk > 0 %"]"#, to: file)
      pulse.send(SIGHUP)
      let notices = try await requests.next(2).map(notice)
      #expect(notices.contains(Notice(alert: "memory > 0 %", status: "resolved", reason: "the rule was removed")))
      #expect(notices.contains(Notice(alert: "disk > 0 %", status: "firing")))
      pulse.send(SIGTERM)
      #expect(try await pulse.rest(of: pulse.errors) == "")
      let last = try await output.split(separator: "\n").last ?? ""
      #expect(last.contains(#""delivered":3,"failed":0,"underWay":0,"#) && !last.contains("rulesFailure"))
      #expect(await pulse.exitCode == 0)
    }
  }

  @Test(
    "SIGHUP replaces the targets and webhooks of the file, whose secrets are nowhere in the arguments or the output")
  func targets() async throws {
    let requests = Recorder<LoopbackRequest>()
    let responder = try LoopbackResponder.toRequests { request in
      requests.record(request)
      return .answer()
    }
    defer { responder.stop() }
    let closed = "tcp://127.0.0.1:\(try LoopbackResponder.closedPort())"
    try await withFile { file in
      try write(#"{"targets": ["\#(closed)"]}"#, to: file)
      let pulse = try PulseProcess(["--json", "--every", "0.05", "--targets", file.path, "--alert", "target down"])
      let first = try await pulse.text(from: pulse.output, through: "\n")
      #expect(first.contains(closed))
      async let output = pulse.rest(of: pulse.output)
      defer { pulse.end() }
      try write(#"{"targets": ["http://a b"]}"#, to: file)
      pulse.send(SIGHUP)
      #expect(
        try await pulse.text(from: pulse.errors, through: "\n")
          == "pulse keeps the targets, webhooks and rules it has: --targets was given '\(file.path)', whose target 1, "
          + "'http://a b', is not a URL without blanks; write for example http://localhost:8080.\n")
      let target = responder.url("/health?token=sesame")
      try write(#"{"targets": ["\#(target)", "\#(closed)"], "webhooks": ["\#(responder.url("/gandalf"))"]}"#, to: file)
      pulse.send(SIGHUP)
      var paths: Set<String> = []
      while paths.count < 2 { paths.insert(try await requests.next().path) }
      #expect(paths == ["/health?token=sesame", "/gandalf"])
      pulse.send(SIGTERM)
      #expect(try await pulse.rest(of: pulse.errors) == "")
      let text = try await output
      #expect(!text.contains("sesame") && !text.contains("gandalf"))
      #expect(text.split(separator: "\n").last?.contains(#""delivered":1,"failed":0,"#) == true)
      #expect(await pulse.exitCode == 0)
    }
  }

  @Test("SIGHUP without a rules file is answered by one line, and pulse continues")
  func noFile() async throws {
    let pulse = try PulseProcess(["--json", "--every", "0.05"])
    _ = try await pulse.text(from: pulse.output, through: "\n")
    pulse.send(SIGHUP)
    #expect(
      try await pulse.text(from: pulse.errors, through: "\n")
        == "pulse has no file to read again; start it with --rules FILE or --targets FILE.\n")
    pulse.send(SIGTERM)
    #expect(try await pulse.rest(of: pulse.errors) == "")
    #expect(await pulse.exitCode == 0)
  }

  @Test("A single round delivers its notices before it ends, and shows that")
  func once() async throws {
    let requests = Recorder<LoopbackRequest>()
    let responder = try LoopbackResponder.toRequests { request in
      requests.record(request)
      return .answer(after: .milliseconds(50))
    }
    defer { responder.stop() }
    let closed = "tcp://127.0.0.1:\(try LoopbackResponder.closedPort())"
    let pulse = try PulseProcess([
      "--once", "--every", "5", "--watch", closed, "--alert", "target down", "--notify", responder.url(),
    ])
    let line = try await pulse.rest(of: pulse.output)
    #expect(line.hasSuffix("| webhook \(responder.url())… 1 delivered\n"))
    #expect(try await notice(requests.next()).reason == "connection refused")
    #expect(try await pulse.rest(of: pulse.errors) == "")
    #expect(await pulse.exitCode == 2)
  }

  @Test("A second signal ends it at once, whatever is under way")
  func twice() async throws {
    let requests = Recorder<LoopbackRequest>()
    let responder = try LoopbackResponder.toRequests { request in
      requests.record(request)
      return .hang
    }
    defer { responder.stop() }
    let pulse = try PulseProcess([
      "--json", "--watch", responder.url("/probe"), "--every", "1000", "--alert", "memory > 0 %", "--notify",
      responder.url("/alerts"),
    ])
    _ = try await requests.next(2)
    pulse.send(SIGTERM)
    // What is written when the probe is cut: the stop is under way, and the notice holds it up.
    var text = ""
    while !text.contains(#""status":"unknown""#) {
      text = try await pulse.text(from: pulse.output, through: "\n")
      try #require(!text.isEmpty)
    }
    pulse.send(SIGINT)
    #expect(await pulse.exitCode == 128 + SIGINT)
  }
}
