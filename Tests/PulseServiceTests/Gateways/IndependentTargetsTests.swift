import Foundation
import Millrace
import MillraceFlags
import MillraceHTTP
import MillraceLoopback
import MillraceSilentNames
import MillraceTesting
import Testing

@testable import PulseService

@Suite("Targets do not wait for each other", .timeLimit(.minutes(1)))
struct IndependentTargetsTests {
  @Test("However many probes of a host hang, one more is answered: FoundationNetworking let six through")
  func hangs() async throws {
    let requests = Recorder<String>()
    let responder = try LoopbackResponder { path in
      requests.record(path)
      return path.hasPrefix("/hang") ? .hang : .answer()
    }
    defer { responder.stop() }
    let gateway = LiveEndpointGateway(limit: .seconds(120))
    let hanging = try (0..<40).map { number in
      let endpoint = try Endpoint(responder.url("/hang/\(number)"))
      return Task { try await gateway.probe(endpoint) }
    }
    _ = try await requests.next(40)
    try await gateway.probe(Endpoint(responder.url("/healthy")))
    for task in hanging { task.cancel() }
    for task in hanging { await #expect(throws: CancellationError.self) { try await task.value } }
  }

  @Test("Endless answers of many targets leave room for the one of another")
  func endless() async throws {
    let responder = try LoopbackResponder { path in
      guard path.hasPrefix("/endless") else { return .answer() }
      return .raw(Array("HTTP/1.1 200 OK\r\n".utf8), then: .repeating(Array("X: y\r\n".utf8)))
    }
    defer { responder.stop() }
    let gateway = LiveEndpointGateway(limit: .seconds(120))
    try await withThrowingTaskGroup { group in
      for number in 0..<10 {
        let endpoint = try Endpoint(responder.url("/endless/\(number)"))
        group.addTask {
          _ = await #expect(throws: GatewayFailure.lasting("the header of the answer is too long")) {
            try await gateway.probe(endpoint)
          }
        }
      }
      let healthy = try Endpoint(responder.url("/healthy"))
      group.addTask { _ = try await gateway.probe(healthy) }
      try await group.waitForAll()
    }
  }

  @Test("25 names whose name server is silent: healthy targets stay up, and the end waits for none of them")
  func silentNames() async throws {
    let names = SilentNames()
    defer { names.answer() }
    let responder = try LoopbackResponder { _ in .answer() }
    defer { responder.stop() }
    let healthy = try [
      responder.url(), "http://healthy.test:\(responder.port)/", "tcp://healthy.test:\(responder.port)",
    ].map { try Endpoint($0) }
    let silent = try (0..<25).map { try Endpoint($0 < 20 ? "http://silent\($0).test/" : "tcp://silent\($0).test:80") }
    let clock = RecordedClock()
    let stop = StopRequest()
    let gateway = LiveEndpointGateway(limit: .seconds(120), resolver: Resolver(lookUp: names.lookUp))
    let service = MonitoringService(
      .init(endpoints: silent + healthy, interval: .seconds(1000)),
      monitor: .fake(endpoints: gateway, clock: clock),
      reporter: Reporter(
        output: FakeOutput(), presentation: RevisionPresentation(), isFinalOnly: true, pace: .zero, clock: clock),
      complaints: FakeOutput(), stop: stop, configuration: .fake(clock))
    let running = Task { try await service.run() }
    let state = try await service.store.wait { state in
      healthy.allSatisfy { state.target($0)?.result != nil } && state.targets.count == 28
    }
    #expect(healthy.allSatisfy { state.target($0)?.word == "up" })
    #expect(silent.allSatisfy { state.target($0)?.word == "probing" })
    // A name that answers may be looked up once for each of its two targets, or once for both.
    while names.lookedUp.recorded.count(where: { $0.hasPrefix("silent") }) < 25 { _ = try await names.lookedUp.next() }
    // The time stands still: what the end would wait for, it would wait for without an end.
    stop.request()
    try await running.value
    // One thread a name, of which none has its answer.
    #expect(names.lookedUp.recorded.count { $0.hasPrefix("silent") } == 25)
    #expect(await service.store.state.targets.allSatisfy { $0.result?.isDown != true })
  }
}
