import Foundation
import MillraceLoopback
import MillraceSocketClient
import MillraceTesting
import Testing

@testable import PulseService

@Suite("PulseCommand, as its operator sees it", .timeLimit(.minutes(2)))
struct InspectionTests {
  /// The next message of a pulse, but for its signs of life and its requests for more time.
  private func message(_ listener: DatagramListener) async -> String? {
    // A pulse that only lives is no end of this wait, so that of the test has to be one.
    while !Task.isCancelled, let message = await listener.next() {
      if !message.hasPrefix("WATCHDOG=") && !message.hasPrefix("EXTEND_TIMEOUT_USEC=") { return message }
    }
    return nil
  }

  @Test("A service manager learns that pulse is ready, lives, reads its rules again, and stops")
  func serviceManager() async throws {
    let rules = FileManager.default.temporaryDirectory.appending(path: "rules-\(UUID().uuidString).json")
    try Data(#"["memory > 0 %"]"#.utf8).write(to: rules)
    defer { try? FileManager.default.removeItem(at: rules) }
    let listener = try DatagramListener(isAbstract: false)
    let pulse = try PulseProcess(
      ["--json", "--every", "0.05", "--rules", rules.path],
      environment: ["NOTIFY_SOCKET": listener.name, "WATCHDOG_USEC": "4000000"])
    async let output = pulse.rest(of: pulse.output)
    // What is left of it would be waited for, where the test fails.
    defer { pulse.end() }
    // The signs of life come from a task of their own, whose first one may be later than the start.
    var first: Set<String> = []
    while !first.isSuperset(of: ["WATCHDOG=1", "READY=1\nSTATUS=watching"]) {
      first.insert(try #require(await listener.next()))
    }
    #expect(first.count == 2)
    pulse.send(SIGHUP)
    #expect(await message(listener)?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
    #expect(await message(listener) == "READY=1\nSTATUS=watching")
    pulse.send(SIGTERM)
    #expect(await message(listener) == "STOPPING=1\nSTATUS=posting the last notices")
    #expect(await pulse.exitCode == 0)
    #expect(!(try await output).isEmpty)
  }

  #if Inspector
    private func ask(_ port: UInt16, _ path: String) async -> String? {
      guard let client = await onThread({ LineClient(port: port) }) else { return nil }
      client.offer(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
      return await client.rest()
    }

    @Test("The inspector is ready while pulse runs, and unready first when it is asked to stop, while a notice is owed")
    func inspector() async throws {
      let posts = Recorder<String>()
      let responder = try LoopbackResponder.toRequests { request in
        posts.record(request.path)
        return .hang
      }
      defer { responder.stop() }
      let listener = try DatagramListener(isAbstract: true)
      let pulse = try PulseProcess(
        [
          "--json", "--every", "0.05", "--inspect", "0", "--alert", "memory > 0 %", "--notify",
          responder.url("/alerts"),
        ],
        environment: ["NOTIFY_SOCKET": listener.name])
      async let output = pulse.rest(of: pulse.output)
      defer { pulse.end() }
      let line = try await pulse.text(from: pulse.errors, through: "\n")
      let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0.prefix { $0.isNumber }) })
      #expect(line == "pulse shows health, metrics and runs at http://127.0.0.1:\(port).\n")
      #expect(await message(listener) == "READY=1\nSTATUS=watching")
      for path in ["/livez", "/readyz", "/startupz"] {
        #expect(await ask(port, path)?.hasPrefix("HTTP/1.1 200 ") == true, "\(path)")
      }
      #expect(await ask(port, "/metrics")?.contains(#"millrace_commits_total{store="pulse"}"#) == true)
      _ = try await posts.next()
      #expect(await ask(port, "/runs")?.contains(#""stage":"running""#) == true)
      pulse.send(SIGTERM)
      #expect(await message(listener)?.hasPrefix("STOPPING=1") == true)
      #expect(await ask(port, "/readyz")?.contains("[-]shutdown: the process is asked to stop") == true)
      #expect(await ask(port, "/livez")?.hasPrefix("HTTP/1.1 200 ") == true)
      #expect(!(try await output).isEmpty)
      #expect(await pulse.exitCode == 0)
    }

    @Test("A pulse that is killed while many clients ask is ready again at the same port, each time it is started")
    func killed() async throws {
      let listener = try DatagramListener(isAbstract: true)
      var port: UInt16 = 0
      try await withThrowingTaskGroup(of: Int.self) { group in
        for round in 0..<5 {
          let pulse = try PulseProcess(
            ["--json", "--every", "0.05", "--inspect", "\(port)"], environment: ["NOTIFY_SOCKET": listener.name])
          async let output = pulse.rest(of: pulse.output)
          defer { pulse.end() }
          if round == 0 {
            let line = try await pulse.text(from: pulse.errors, through: "\n")
            port = try #require(line.split(separator: ":").last.flatMap { UInt16($0.prefix { $0.isNumber }) })
            for client in 0..<8 {
              group.addTask { [port] in
                var answers = 0
                while !Task.isCancelled {
                  let path = ["/metrics", "/runs", "/readyz", "/livez"][client % 4]
                  if await ask(port, path)?.hasPrefix("HTTP/1.1 ") == true { answers += 1 }
                }
                return answers
              }
            }
          }
          #expect(await message(listener)?.hasPrefix("READY=1") == true)
          #expect(await ask(port, "/readyz")?.hasPrefix("HTTP/1.1 200 ") == true)
          pulse.send(SIGKILL)
          #expect(await pulse.exitCode == 128 + SIGKILL)
          _ = try await output
        }
        group.cancelAll()
        for try await answers in group { #expect(answers > 0) }
      }
    }

    @Test("A pulse whose port is in use does not start, and says so")
    func portInUse() async throws {
      let responder = try LoopbackResponder { _ in .answer() }
      defer { responder.stop() }
      let pulse = try PulseProcess(["--json", "--inspect", "\(responder.port)"])
      let errors = try await pulse.rest(of: pulse.errors)
      #expect(
        errors
          == "pulse does not start without its inspector. The inspector cannot listen on port \(responder.port) of "
          + "127.0.0.1: Address already in use; give another one, or stop its owner.\n")
      #expect(await pulse.exitCode == 69)
    }
  #endif
}
