import Foundation
import MillraceFlags
import MillraceLoopback
import MillraceSocketClient
import MillraceTesting
import Testing

@testable import MirrorService

@Suite("MirrorCommand, as a process", .timeLimit(.minutes(2)))
struct MirrorProcessTests {
  /// A server that holds its answers back until the test lets them go.
  private final class HeldUpstream: Sendable {
    let responder: LoopbackResponder
    let paths = Recorder<String>()
    private let permits = DispatchSemaphore(value: 0)

    init() throws {
      let (paths, permits) = (paths, permits)
      responder = try LoopbackResponder { path in
        paths.record(path)
        permits.wait()
        return .answer(body: path)
      }
    }

    func release() { permits.signal() }
  }

  @Test("Artifacts of an HTTP server are fetched once, published, and missing as they are there")
  func mirror() async throws {
    let requests = Recorder<LoopbackRequest>()
    let responder = try LoopbackResponder.toRequests { request in
      requests.record(request)
      if request.path.hasSuffix("/none") { return .answer(status: 404, body: "no") }
      return request.path.hasSuffix("/bad")
        ? .answer(status: 403, body: "no") : .answer(body: "body of \(request.path)")
    }
    defer { responder.stop() }
    let (mirror, port) = try await MirrorProcess.listening(responder.url("/base"), ["--status"])
    #expect(await mirror.line() == "libs: artifacts 0, bytes 0")
    let (first, second) = (try #require(LineClient(port: port)), try #require(LineClient(port: port)))
    for client in [first, second] { #expect(await client.ask("GET libs/a/b") == "OK body of /base/libs/a/b") }
    #expect(await first.ask("GET libs/none") == "MISSING The upstream has no none.\n")
    #expect(
      await first.ask("GET libs/bad") == "FAILED Failed: the upstream answered with the status 403.\n")
    #expect(await first.ask("GET apps/a") == "UNKNOWN There is no such repository; ADD it first.\n")
    first.send("PUT libs/new 3\nnew")
    #expect(await first.answer() == "OK ")
    #expect(await second.ask("GET libs/new") == "OK new")
    let status = await second.ask("STATUS")
    #expect(
      status == "OK libs: artifacts 2, bytes 25, last failure: bad was not fetched: the upstream answered with the "
        + "status 403\n")
    let metrics = try #require(await first.ask("METRICS"))
    #expect(metrics.contains("\nmirror_actions_rejected_total{reason=\"missingChild\"} 1\n"), "\(metrics)")
    #expect(await second.ask("QUIT")?.hasPrefix("INVALID A request is GET") == true)
    let paths = requests.recorded.map { "\($0.method) \($0.path)" }
    #expect(
      paths == ["GET /base/libs/a/b", "GET /base/libs/none", "GET /base/libs/bad", "POST /base/libs/new"])
    #expect(requests.recorded.last?.body == "new")
    #expect(requests.recorded.last?.headers["idempotency-key"]?.isEmpty == false)
    mirror.send(SIGINT)
    let rest = await mirror.rest()
    #expect(
      rest.contains("libs: artifacts 1, bytes 22")
        && rest.hasSuffix("mirror stops\nmirror stopped: 0 drained, 0 cancelled, 0 not returned\n"), "\(rest)")
    #expect(await mirror.exitCode == 0)
  }

  @Test("SIGTERM while a fetch is out: its client is answered, no more can connect, and the exit code is 0")
  func drain() async throws {
    let upstream = try HeldUpstream()
    defer { upstream.responder.stop() }
    let (mirror, port) = try await MirrorProcess.listening(upstream.responder.url("/"))
    let client = try #require(LineClient(port: port))
    client.send("GET libs/a\n")
    #expect(try await upstream.paths.next() == "/libs/a")
    mirror.send(SIGTERM)
    #expect(await mirror.line() == "mirror stops")
    upstream.release()
    #expect(await client.answer() == "OK /libs/a")
    #expect(await mirror.rest().hasSuffix(" 0 cancelled, 0 not returned\n"))
    #expect(await mirror.exitCode == 0)
    #expect(LineClient(port: port) == nil)
    #expect(upstream.paths.recorded == ["/libs/a"])
  }

  @Test("A fetch that outlasts the drain is cut, its client is told so, and the exit code is 1")
  func cut() async throws {
    let upstream = try HeldUpstream()
    let (mirror, port) = try await MirrorProcess.listening(upstream.responder.url(), ["--drain", "0.05"])
    let client = try #require(LineClient(port: port))
    client.send("GET libs/a\n")
    _ = try await upstream.paths.next()
    mirror.send(SIGTERM)
    #expect(await client.answer() == "BUSY The mirror stops.\n")
    #expect(await mirror.rest().contains(" 1 (#"))
    #expect(await mirror.exitCode == 1)
    upstream.release()
    upstream.responder.stop()
  }

  @Test("A second signal ends the process at once")
  func twice() async throws {
    let upstream = try HeldUpstream()
    let (mirror, port) = try await MirrorProcess.listening(upstream.responder.url())
    let client = try #require(LineClient(port: port))
    client.send("GET libs/a\n")
    _ = try await upstream.paths.next()
    mirror.send(SIGTERM)
    #expect(await mirror.line() == "mirror stops")
    mirror.send(SIGINT)
    #expect(await mirror.exitCode == 128 + SIGINT)
    #expect(await client.answer() == nil)
    upstream.release()
    upstream.responder.stop()
  }

  @Test("A client that leaves while its artifact is fetched leaves a copy for the next one")
  func leaves() async throws {
    let upstream = try HeldUpstream()
    defer { upstream.responder.stop() }
    let (mirror, port) = try await MirrorProcess.listening(upstream.responder.url("/"))
    try #require(LineClient(port: port)).send("GET libs/a\n")
    _ = try await upstream.paths.next()
    upstream.release()
    let client = try #require(LineClient(port: port))
    #expect(await client.ask("GET libs/a") == "OK /libs/a")
    #expect(upstream.paths.recorded.count == 1)
    mirror.send(SIGTERM)
    #expect(await mirror.exitCode == 0)
  }

  @Test("A recording replays to the same states, also after the process was killed, and the port is free again")
  func recording() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "mirror-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    let old = file.appendingPathExtension("1")
    defer { try? FileManager.default.removeItem(at: old) }
    let responder = try LoopbackResponder { .answer(body: "confidential \($0)") }
    defer { responder.stop() }
    let (killed, port) = try await MirrorProcess.listening(responder.url("/"), ["--record", file.path])
    let client = try #require(LineClient(port: port))
    #expect(await client.ask("GET libs/a") == "OK confidential /libs/a")
    killed.send(SIGKILL)
    #expect(await killed.exitCode == 128 + SIGKILL)
    let next = try MirrorProcess([
      "--listen", "\(port)", "--repository", "libs", "--upstream", responder.url("/"), "--record", file.path,
    ])
    #expect(await next.line() == "mirror listens on 127.0.0.1:\(port)")
    #expect(await LineClient(port: port)?.ask("GET libs/b") == "OK confidential /libs/b")
    next.send(SIGTERM)
    #expect(await next.exitCode == 0)
    let replayed = try await MirrorProcess.run(["recording", "replay", file.path])
    #expect(replayed.text == "Replayed 2 commits up to revision 2; 1 recorded state is the same.\n")
    #expect(replayed.code == 0)
    let page = try await MirrorProcess.run(["recording", "report", file.path])
    #expect(page.text.contains("data-row=\"commit\"") && !page.text.contains("confidential"))
    #expect(try !String(contentsOf: file, encoding: .utf8).contains("confidential"))
  }

  @Test("A recording that cannot be written ends the process before it listens")
  func refusedRecording() async throws {
    let end = try await MirrorProcess.run(["--listen", "0", "--upstream", "http://127.0.0.1/", "--record", "/dev/full"])
    #expect(
      end.text.hasPrefix("mirror does not start without its recording. '/dev/full' is no ordinary file"), "\(end.text)")
    #expect(end.code == 73)
  }

  // Such clients took all descriptors, and libdispatch ended the process (SIGILL) because it could not open a file of /proc.
  @Test("Clients that send nothing, more than there are descriptors, shut out no other", arguments: [56, 64, 200, 512])
  func silentClients(limit: Int) async throws {
    let responder = try LoopbackResponder { .answer(body: $0) }
    defer { responder.stop() }
    let (mirror, port) = try await MirrorProcess.listening(responder.url("/"), maximumOpenFiles: limit)
    let early = try #require(LineClient(port: port))
    #expect(await early.ask("GET libs/early") == "OK /libs/early")
    var silent: [LineClient] = []
    for index in 0..<600 {
      silent.append(try #require(LineClient(port: port)))
      // Its answer comes behind all that connected before.
      if index.isMultiple(of: 50) {
        #expect(await LineClient(port: port)?.ask("GET libs/\(index)") == "OK /libs/\(index)")
      }
    }
    #expect(await early.answer()?.hasPrefix("BUSY The server closes the connection that was idle the longest") == true)
    mirror.send(SIGTERM)
    #expect(await mirror.exitCode == 0)
    withExtendedLifetime(silent) {}
  }

  @Test("Where it may open fewer files than it needs itself, it does not start and says which limit to raise")
  func tooFewFiles() async throws {
    let end = try await MirrorProcess.run(["--listen", "0", "--upstream", "http://127.0.0.1/"], maximumOpenFiles: 55)
    #expect(end.text == "mirror may open 55 files and needs at least 56; raise the limit (ulimit -n 56).\n")
    #expect(end.code == 64)
  }

  @Test("Without a drain, a fetch that is out is cut at once")
  func noDrain() async throws {
    let upstream = try HeldUpstream()
    let (mirror, port) = try await MirrorProcess.listening(upstream.responder.url(), ["--drain", "0", "--keep", "0"])
    let client = try #require(LineClient(port: port))
    client.send("GET libs/a\n")
    _ = try await upstream.paths.next()
    mirror.send(SIGTERM)
    #expect(await client.answer() == "BUSY The mirror stops.\n")
    #expect(await mirror.exitCode == 1)
    upstream.release()
    upstream.responder.stop()
  }

  @Test("A wrong command line is one sentence and the exit code 64, and --help has every flag")
  func commandLine() async throws {
    let wrong = try await MirrorProcess.run(["--upstraem", "http://localhost"])
    #expect(wrong.text == "mirror has no flag '--upstraem'; did you mean --upstream?\n")
    #expect(wrong.code == 64)
    let unknown = try await MirrorProcess.run(["--upstream", "http://nowhere.invalid/"])
    #expect(unknown.text == "--upstream has the host 'nowhere.invalid', which is not known; name another one.\n")
    #expect(unknown.code == 64)
    let help = try await MirrorProcess.run(["--help"])
    for flag in Options.flags.flags {
      #expect(help.text.contains("\n  \(flag.name) ") || help.text.contains("\n  \(flag.name)\n"))
    }
    #expect(help.code == 0 && help.text.contains("\nExit codes:\n"))
    let version = try await MirrorProcess.run(["--version"])
    #expect(version.text == "mirror \(Version.text)\n" && version.code == 0)
  }
}
