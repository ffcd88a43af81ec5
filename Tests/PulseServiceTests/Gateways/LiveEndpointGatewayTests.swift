import Millrace
import MillraceHTTP
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

  @Test("An answer with a status below 400 is up", arguments: [200, 204, 399])
  func goodStatus(status: Int) async throws {
    let responder = try LoopbackResponder { _ in .answer(status: status) }
    defer { responder.stop() }
    try await gateway.probe(try Endpoint(responder.url()))
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

  @Test("A host is up by HTTP and by TCP when its first address drops packets", arguments: ["http", "tcp"])
  func silentAddress(scheme: String) async throws {
    let responder = try LoopbackResponder { _ in .answer() }
    defer { responder.stop() }
    let silent = try SilentAddress(port: responder.port)
    let resolver = Resolver { _ in [SilentAddress.text, "127.0.0.1"] }
    let gateway = LiveEndpointGateway(limit: .seconds(36_000), resolver: resolver)
    try await gateway.probe(try Endpoint("\(scheme)://a.loop:\(responder.port)"))
    withExtendedLifetime(silent) {}
  }

  @Test("An endpoint may have a limit of its own", arguments: ["http", "tcp"])
  func ownLimit(scheme: String) async throws {
    let port = try LoopbackResponder.closedPort()
    let silent = try SilentAddress(port: port)
    let gateway = LiveEndpointGateway(limit: .seconds(36_000), resolver: Resolver { _ in [SilentAddress.text] })
    var endpoint = try Endpoint("\(scheme)://a.loop:\(port)")
    endpoint.limit = .milliseconds(100)
    let error = await #expect(throws: GatewayFailure.self) { try await gateway.probe(endpoint) }
    #expect(error?.description == "no answer within 0.1 s")
    withExtendedLifetime(silent) {}
  }

  @Test("A host is down by TCP once its limit is over, however many of its addresses drop packets")
  func silentHost() async throws {
    let port = try LoopbackResponder.closedPort()
    let silent = try SilentAddress(port: port)
    let resolver = Resolver { _ in Array(repeating: SilentAddress.text, count: 100) }
    let gateway = LiveEndpointGateway(limit: .milliseconds(100), resolver: resolver)
    await #expect(throws: GatewayFailure.late(.milliseconds(100))) {
      try await gateway.probe(Endpoint("tcp://a.loop:\(port)"))
    }
    withExtendedLifetime(silent) {}
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
    try await clock.advance(toAlarmAt: .milliseconds(2_250))

    #expect(await receipt.outcome.kind == .timedOut)
    #expect(await store.state.target(endpoint)?.result == .down(reason: "no answer within 2.25 s"))
    await store.shutdown()
  }
}
