import Foundation
import MillraceLoopback
import Testing

@testable import PulseService

@Suite("PulseCommand, with hostile servers, as a process", .timeLimit(.minutes(2)))
struct HostileAnswersTests {
  /// The answers at which FoundationNetworking ended the process.
  private static let answers = [
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nTrailer: x\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n",
  ]

  @Test("No answer of a target or a webhook ends pulse, which was killed by SIGILL at three of them")
  func survives() async throws {
    let responder = try LoopbackResponder { path in
      .raw(Array(Self.answers[Int(path.dropFirst()) ?? 0].utf8))
    }
    defer { responder.stop() }
    let paths = Self.answers.indices.map { responder.url("/\($0)") }
    let pulse = try PulseProcess(
      ["--once", "--every", "5", "--alert", "memory > 0 %"] + paths.flatMap { ["--watch", $0, "--notify", $0] })
    let line = try await pulse.rest(of: pulse.output)
    #expect(line.contains("the answer was cut short") && line.contains("1 delivered"))
    #expect(await pulse.exitCode == 2)
  }

  @Test("The command is linked to libcurl and not to FoundationNetworking, whose traps cannot be caught")
  func libraries() throws {
    let bytes = try Data(contentsOf: PulseProcess.executable(), options: .alwaysMapped)
    #expect(bytes.range(of: Data("libcurl.".utf8)) != nil)
    #expect(bytes.range(of: Data("libFoundationNetworking".utf8)) == nil)
  }
}
