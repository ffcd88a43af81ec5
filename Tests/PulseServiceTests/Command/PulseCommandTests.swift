import Foundation
import MillraceFlags
import MillraceLoopback
import Testing

@testable import PulseService

@Suite("PulseCommand, as a process", .timeLimit(.minutes(2)))
struct PulseCommandTests {
  private struct Document: Decodable {
    struct Target: Decodable {
      var url: String
      var status: String
      var reason: String?
    }

    struct Machine: Decodable {
      var memoryPercent: Double
    }

    struct Alert: Decodable {
      var status: String
    }

    var revision: Int
    var machine: Machine?
    var targets: [Target]
    var alerts: [Alert]
  }

  private func document(_ line: some StringProtocol) throws -> Document {
    try JSONDecoder().decode(Document.self, from: Data(line.utf8))
  }

  @Test(
    "A wrong command line is one sentence on standard error and the exit code 64, and nothing is written",
    arguments: [
      (
        ["--every", "-1"],
        "--every needs a number of seconds from 0.000000001 to 1000000000, but was given '-1'; write for example --every 0.5.\n"
      ),
      (["--colour"], "pulse has no flag '--colour'; see pulse --help for those it has.\n"),
      (
        ["--rules", "/nowhere"],
        "--rules was given '/nowhere', which does not exist; name a file with rules such as "
          + "[\"cpu > 90 % for 30 s\", \"target down for 2 probes\"].\n"
      ),
    ] as [([String], String)])
  func wrong(arguments: [String], sentence: String) async throws {
    let pulse = try PulseProcess(arguments)
    #expect(try await pulse.rest(of: pulse.errors) == sentence)
    #expect(try await pulse.rest(of: pulse.output) == "")
    #expect(await pulse.exitCode == 64)
  }

  @Test("The help text names every flag")
  func help() async throws {
    let pulse = try PulseProcess(["--help"])
    let text = try await pulse.rest(of: pulse.output)
    for flag in [
      "--every", "--for", "--watch", "--alert", "--rules", "--targets", "--notify", "--record", "--journal",
      "--inspect", "--json", "--once", "--help", "--version",
    ] {
      #expect(text.contains("  \(flag)"))
    }
    #expect(text.contains("\nExit codes:\n") && text.contains("  2    --once has found that a target is down"))
    #expect(text.contains("proxies of the environment (http_proxy, https_proxy, all_proxy) are ignored."))
    #expect(await pulse.exitCode == 0)
  }

  @Test("Once is one complete state: targets up and down, the machine, the alerts")
  func once() async throws {
    let responder = try LoopbackResponder { path in path == "/reset" ? .reset : .answer() }
    defer { responder.stop() }
    let closed = "tcp://127.0.0.1:\(try LoopbackResponder.closedPort())"
    let pulse = try PulseProcess([
      "--once", "--every", "5", "--json", "--watch", responder.url(), "--watch", responder.url("/reset"), "--watch",
      closed, "--alert",
      "target down",
    ])
    let lines = try await pulse.rest(of: pulse.output).split(separator: "\n")
    #expect(lines.count == 1)
    let document = try document(try #require(lines.first))
    #expect(document.targets.map(\.status) == ["up", "down", "down"])
    #expect(document.targets.map(\.reason) == [nil, "connection lost", "connection refused"])
    #expect(document.alerts.map(\.status) == ["ok", "firing", "firing"])
    #expect(document.machine != nil)
    #expect(await pulse.exitCode == 2)
  }

  /// A check of a build or a timer could not tell a target that is down from one that is up.
  @Test(
    "Once ends with 2 when a target is down or an alert fires, and with 0 otherwise; a service that is stopped ends with 0",
    arguments: [
      (["--once"], ["/"], 0), (["--once"], ["/", "/reset"], 2), (["--once", "--alert", "memory > 0 %"], ["/"], 2),
      (["--once", "--alert", "memory > 0 %"], [], 2), (["--once", "--alert", "memory > 0 % for 1 h"], ["/"], 0),
      (["--for", "0.2", "--alert", "memory > 0 %"], ["/reset"], 0),
    ] as [([String], [String], Int32)])
  func exitCode(arguments: [String], paths: [String], code: Int32) async throws {
    let responder = try LoopbackResponder { path in path == "/reset" ? .reset : .answer() }
    defer { responder.stop() }
    let pulse = try PulseProcess(arguments + ["--json"] + paths.flatMap { ["--watch", responder.url($0)] })
    _ = try await pulse.rest(of: pulse.output)
    #expect(await pulse.exitCode == code)
  }

  @Test("--version is one line")
  func version() async throws {
    let pulse = try PulseProcess(["--version"])
    #expect(try await pulse.rest(of: pulse.output) == "pulse \(Version.text)\n")
    #expect(await pulse.exitCode == 0)
  }

  @Test("SIGTERM and SIGINT end it with whole lines and the exit code 0", arguments: [SIGTERM, SIGINT])
  func signal(number: Int32) async throws {
    let pulse = try PulseProcess(["--json", "--every", "0.05"])
    // Each line is out as soon as it is written: it can be read while the process runs.
    let first = try await pulse.text(from: pulse.output, through: "\n")
    pulse.send(number)
    let rest = try await pulse.rest(of: pulse.output)
    #expect(rest.isEmpty || rest.hasSuffix("\n"))
    let revisions = try (first + rest).split(separator: "\n").map { try document($0).revision }
    #expect(revisions == Set(revisions).sorted())
    #expect(await pulse.exitCode == 0)
    #expect(try await pulse.rest(of: pulse.errors) == "")
  }

  @Test("An endpoint that hangs does not hold up the end")
  func hang() async throws {
    let responder = try LoopbackResponder { _ in .hang }
    defer { responder.stop() }
    let pulse = try PulseProcess(["--json", "--watch", responder.url()])
    let first = try await pulse.text(from: pulse.output, through: "\n")
    #expect(try document(first).targets.map(\.status) == ["probing"])
    pulse.send(SIGTERM)
    let last = try await pulse.rest(of: pulse.output).split(separator: "\n").last
    // Nothing is shown as under way: it was cut, or on a slow machine its time was up before the signal.
    #expect(try document(try #require(last)).targets.map(\.status) != ["probing"])
    #expect(await pulse.exitCode == 0)
  }

  @Test("A reader that has left ends it quietly")
  func readerGone() async throws {
    let pulse = try PulseProcess(["--every", "0.01"])
    _ = try await pulse.text(from: pulse.output, through: "\n")
    try pulse.output.close()
    #expect(await pulse.exitCode == 0)
    #expect(try await pulse.rest(of: pulse.errors) == "")
  }

  #if os(Linux)
    @Test("An output that is full is one sentence and the exit code 74")
    func full() async throws {
      let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
      let pulse = try PulseProcess(["--once"], terminal: full)
      let sentence = try await pulse.rest(of: pulse.errors)
      #expect(
        sentence
          == "pulse cannot write to standard output: No space left on device; give it a place that can be written to.\n"
      )
      #expect(await pulse.exitCode == 74)
    }
  #endif
}
