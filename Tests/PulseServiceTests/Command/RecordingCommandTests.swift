import Foundation
import MillraceLoopback
import Testing

@testable import PulseService

@Suite("pulse recording, as a process", .timeLimit(.minutes(2)))
struct RecordingCommandTests {
  private let file = FileManager.default.temporaryDirectory.appending(path: "pulse-\(UUID().uuidString).jsonl")

  private func pulse(_ arguments: [String]) async throws -> (code: Int32, output: String, errors: String) {
    let pulse = try PulseProcess(arguments)
    let output = try await pulse.rest(of: pulse.output)
    let errors = try await pulse.rest(of: pulse.errors)
    return (await pulse.exitCode, output, errors)
  }

  @Test("A recording of pulse replays to the same states, has a page, and does not contain the secret of a webhook")
  func recording() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let responder = try LoopbackResponder { path in path == "/7" ? .reset : .answer() }
    defer { responder.stop() }
    let targets = (1...8).flatMap { ["--watch", responder.url("/\($0)")] }
    let recorded = try await pulse(
      ["--once", "--json", "--record", file.path, "--alert", "target down", "--notify", responder.url("/secret")]
        + targets)
    #expect(recorded.errors == "")
    // A target is down.
    #expect(recorded.code == 2)
    #expect(try !String(contentsOf: file, encoding: .utf8).contains("secret"))

    let replayed = try await pulse(["recording", "replay", file.path])
    #expect(replayed.errors == "")
    #expect(
      replayed.output.contains(#/^Replayed \d+ commits up to revision \d+; [1-9]\d* recorded state.* the same\.\n$/#)
    )
    #expect(replayed.code == 0)

    let page = try await pulse(["recording", "report", file.path])
    #expect(page.output.contains("<code>notify(Webhook(name: "))
    #expect(page.output.ranges(of: "data-row=\"action\"").count >= 10)
    #expect(page.code == 0)
  }

  @Test("However short the recording is, its last state is compared")
  func short() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let recorded = try await pulse(["--once", "--json", "--record", file.path])
    #expect(recorded.code == 0)
    let replayed = try await pulse(["recording", "replay", file.path])
    #expect(replayed.output.contains(#/^Replayed \d commits? up to revision \d; 1 recorded state is the same\.\n$/#))
    #expect(replayed.code == 0)
  }

  @Test("The commands about recordings are those of pulse")
  func help() async throws {
    let help = try await pulse(["recording", "--help"])
    #expect(help.output.contains("Usage: pulse recording COMMAND ...\n"))
    #expect(help.code == 0)
    let missing = try await pulse(["recording", "replay", file.path])
    #expect(
      missing.errors == "'\(file.path)' cannot be read: No such file or directory; give the path of a recording.\n")
    #expect(missing.code == 66)
  }

  @Test(
    "A place where no file can be written is refused with the reason before anything is started",
    arguments: [
      ("/nowhere/x", "whose folder does not exist; make it, or name a file in another one"),
      ("/dev/null/x", "whose folder does not exist; make it, or name a file in another one"),
      ("/", "which is a folder; name a file in it"),
    ])
  func unwritable(path: String, problem: String) async throws {
    let end = try await pulse(["--once", "--record", path])
    #expect(end.errors == "--record was given '\(path)', \(problem).\n")
    #expect(end.output == "")
    #expect(end.code == 64)
  }

  /// Regression: it wrote one line and continued without the recording, with exit code 0.
  @Test("A recording that cannot be written ends pulse before it does anything")
  func refused() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let first = try PulseProcess(["--json", "--every", "0.05", "--record", file.path])
    _ = try await first.text(from: first.output, through: "\n")
    for (path, reason) in [
      (file.path, "'\(file.path)' is being written by another recorder"),
      ("/dev/full", "'/dev/full' is no ordinary file, and is left as it is"),
    ] {
      let second = try await pulse(["--once", "--json", "--record", path])
      #expect(second.errors.hasPrefix("pulse does not start without its recording. \(reason)"))
      #expect(second.errors.split(separator: "\n").count == 1 && second.output == "")
      #expect(second.code == 73)
    }
    first.send(SIGTERM)
    _ = try await first.rest(of: first.output)
    #expect(await first.exitCode == 0)
  }

  /// Regression: it continued to write into the removed file, and reported nothing.
  @Test("A recording that is removed is noticed though nothing is recorded, and pulse continues")
  func removed() async throws {
    let pulse = try PulseProcess(["--json", "--every", "1000", "--record", file.path])
    _ = try await pulse.text(from: pulse.output, through: "\n")
    try FileManager.default.removeItem(at: file)
    let line = try await pulse.text(from: pulse.errors, through: "\n")
    #expect(line.contains("'\(file.path)' was moved or removed while a recording was written to it"))
    // The state shows it too, which is the commit that a new file begins with.
    var text = ""
    while !text.contains("\"recordingFailure\":\"'\(file.path)' was moved") {
      text = try await pulse.text(from: pulse.output, through: "\n")
      try #require(!text.isEmpty)
    }
    pulse.send(SIGTERM)
    #expect(try await pulse.rest(of: pulse.errors) == "")
    #expect(await pulse.exitCode == 0)
    let info = try await self.pulse(["recording", "info", file.path])
    #expect(info.code == 0, "\(info)")
    try? FileManager.default.removeItem(at: file)
  }
}
