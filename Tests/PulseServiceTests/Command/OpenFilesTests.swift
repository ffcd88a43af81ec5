import Foundation
import MillraceFlags
import MillraceLoopback
import Testing

@testable import PulseService

@Suite("OpenFiles", .timeLimit(.minutes(2)))
struct OpenFilesTests {
  @Test("A limit that is too low for the URLs is a sentence that says the fix, and one that suffices is none")
  func shortage() throws {
    let webhook = try Webhook("http://b")
    let plan = MonitoringService.Plan(endpoints: [.web, .database], webhooks: [webhook])
    #expect(OpenFiles(limit: 58).shortage(for: plan) == nil)
    #expect(
      OpenFiles(limit: 57).shortage(for: plan)
        == "pulse may open 57 files and needs up to 58 for 3 URLs, so that some may be shown as down; "
        + "raise the limit (ulimit -Hn 58) or give it fewer URLs.")
  }

  @Test("A probe that gets no descriptor says so, by HTTP and by TCP, and the next one is as good as any")
  func exhausted() async {
    await #expect(processExitsWith: .success) {
      func endpoints(of responder: LoopbackResponder) throws -> [Endpoint] {
        try [responder.url(), "tcp://127.0.0.1:\(responder.port)"].map { try Endpoint($0) }
      }
      let gateway = LiveEndpointGateway(limit: .seconds(60))
      let responder = try LoopbackResponder { _ in .answer() }
      for endpoint in try endpoints(of: responder) { try await gateway.probe(endpoint) }
      // Closes its connections, whose descriptors would become free at some time below.
      responder.stop()
      lower(soft: 100, hard: 100)
      var taken: [Int32] = []
      while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
      for endpoint in try endpoints(of: responder) {
        await #expect(throws: GatewayFailure.tooFewFiles) { try await gateway.probe(endpoint) }
      }
      #expect(!taken.isEmpty)
      for descriptor in taken { close(descriptor) }
      let next = try LoopbackResponder { _ in .answer() }
      for endpoint in try endpoints(of: next) { try await gateway.probe(endpoint) }
    }
  }

  @Test("pulse says that it may open too few files, and continues")
  func command() async throws {
    let responder = try LoopbackResponder { _ in .answer() }
    defer { responder.stop() }
    let watched = (0..<20).flatMap { ["--watch", responder.url("/\($0)")] }
    let pulse = try PulseProcess(["--once"] + watched, maximumOpenFiles: 60)
    #expect(
      try await pulse.rest(of: pulse.errors)
        == "pulse may open 60 files and needs up to 93 for 20 URLs, so that some may be shown as down; "
        + "raise the limit (ulimit -Hn 93) or give it fewer URLs.\n")
    #expect([0, 2].contains(await pulse.exitCode))
  }

  @Test("pulse does not start where it may open fewer files than it needs itself, and says which limit to raise")
  func least() async throws {
    let pulse = try PulseProcess(["--once"], maximumOpenFiles: 40)
    let text = try await pulse.rest(of: pulse.errors)
    #expect(text == "pulse may open 40 files and needs at least 56; raise the limit (ulimit -n 56).\n")
    #expect(await pulse.exitCode == 64)
  }
}

/// Sets both limits on open files.
private func lower(soft: Int, hard: Int) {
  var limits = rlimit(rlim_cur: rlim_t(soft), rlim_max: rlim_t(hard))
  #if canImport(Glibc)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
  #else
    setrlimit(RLIMIT_NOFILE, &limits)
  #endif
}
