import Foundation
import MillraceLoopback
import Testing

@testable import PulseService

@Suite("OpenFiles", .timeLimit(.minutes(2)))
struct OpenFilesTests {
  @Test("A limit that is too low for the URLs is a sentence that says the fix, and one that suffices is none")
  func shortage() throws {
    let webhook = try Webhook("http://b")
    let plan = MonitoringService.Plan(endpoints: [.web, .database], webhooks: [webhook])
    #expect(OpenFiles(limit: 41).shortage(for: plan) == nil)
    #expect(
      OpenFiles(limit: 40).shortage(for: plan)
        == "pulse may open 40 files and needs up to 41 for 3 URLs, so that some may be shown as down; "
        + "raise the limit (ulimit -Hn 41) or give it fewer URLs.")
  }

  @Test("The soft limit is raised to the hard one")
  func raised() async {
    await #expect(processExitsWith: .success) {
      lower(soft: 100, hard: 200)
      #expect(OpenFiles.raised() == OpenFiles(limit: 200))
      #expect(OpenFiles.raised() == OpenFiles(limit: 200))
    }
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
        == "pulse may open 60 files and needs up to 92 for 20 URLs, so that some may be shown as down; "
        + "raise the limit (ulimit -Hn 92) or give it fewer URLs.\n")
    #expect(await pulse.exitCode == 0)
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
