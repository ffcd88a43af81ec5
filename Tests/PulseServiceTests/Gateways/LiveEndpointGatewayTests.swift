import Millrace
import MillraceLoopback
import MillraceTesting
import Testing

@testable import PulseService

@Suite("LiveEndpointGateway, against a responder on loopback", .timeLimit(.minutes(1)))
struct LiveEndpointGatewayTests {
  private let gateway = LiveEndpointGateway(limit: .seconds(60))

  @Test("A server that answers is up, again and again, with and without a delay")
  func up() async throws {
    let responder = try LoopbackResponder { path in .answer(after: path == "/slow" ? .milliseconds(20) : .zero) }
    defer { responder.stop() }
    for path in ["/", "/slow", "/"] {
      try await gateway.probe(try Endpoint(responder.url(path)))
    }
  }

  @Test("An answer with a status of 400 or more is down", arguments: [400, 404, 503])
  func status(status: Int) async throws {
    let responder = try LoopbackResponder { _ in .answer(status: status, body: "no") }
    defer { responder.stop() }
    let endpoint = try Endpoint(responder.url())
    await #expect(throws: GatewayFailure.status(status)) { try await gateway.probe(endpoint) }
  }

  @Test("A server that resets the connection is down, and up when it answers again")
  func reset() async throws {
    let responder = try LoopbackResponder { path in path == "/reset" ? .reset : .answer() }
    defer { responder.stop() }
    let endpoint = try Endpoint(responder.url("/reset"))
    await #expect(throws: GatewayFailure("connection lost")) { try await gateway.probe(endpoint) }
    try await gateway.probe(try Endpoint(responder.url()))
  }

  @Test("A port without a listener is down, by HTTP and by TCP")
  func closedPort() async throws {
    let port = try LoopbackResponder.closedPort()
    let web = try Endpoint("http://127.0.0.1:\(port)/")
    await #expect(throws: GatewayFailure("connection refused")) { try await gateway.probe(web) }
    let tcp = try Endpoint("tcp://127.0.0.1:\(port)")
    await #expect(throws: GatewayFailure("connection refused")) { try await gateway.probe(tcp) }
  }

  @Test("A port that takes connections is up by TCP")
  func tcp() async throws {
    let responder = try LoopbackResponder { _ in .hang }
    defer { responder.stop() }
    try await gateway.probe(try Endpoint("tcp://127.0.0.1:\(responder.port)"))
    try await gateway.probe(try Endpoint("tcp://localhost:\(responder.port)"))
  }

  @Test("A host without an address is down", arguments: ["http://no..host/", "tcp://no..host:80"])
  func unknownHost(url: String) async throws {
    let endpoint = try Endpoint(url)
    await #expect(throws: GatewayFailure("host not found")) { try await gateway.probe(endpoint) }
  }

  @Test("A probe of a server that hangs ends when it is cancelled")
  func cancelled() async throws {
    let requests = Recorder<String>()
    let responder = try LoopbackResponder { path in
      requests.record(path)
      return .hang
    }
    defer { responder.stop() }
    let endpoint = try Endpoint(responder.url("/hang"))
    let probe = Task { try await gateway.probe(endpoint) }
    #expect(try await requests.next() == "/hang")
    probe.cancel()
    await #expect(throws: CancellationError.self) { try await probe.value }
  }

  @Test(
    "In the store, a server that hangs or answers too late is down when the injected clock says so",
    arguments: [LoopbackResponder.Reply.hang, .answer(after: .seconds(3600))])
  func timeout(reply: LoopbackResponder.Reply) async throws {
    let requests = Recorder<String>()
    let responder = try LoopbackResponder { path in
      requests.record(path)
      return reply
    }
    defer { responder.stop() }
    let clock = RecordedClock()
    let store = Store(
      initial: PulseState(), interactor: PulseMonitor.fake(endpoints: gateway, clock: clock),
      configuration: StoreConfiguration(clock: clock))
    let endpoint = try Endpoint(responder.url("/late"))

    let receipt = store.send(.probe(endpoint))
    #expect(await store.state.target(endpoint)?.word == "probing")
    #expect(try await requests.next() == "/late")
    try await clock.advance(toAlarmAt: .seconds(2))

    #expect(await receipt.outcome.kind == .timedOut)
    #expect(await store.state.target(endpoint)?.result == .down(reason: "no answer within 2 s"))
    await store.shutdown()
  }
}
