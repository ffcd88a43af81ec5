import Millrace
import MillraceHTTP
import MillraceTesting
import Testing

@testable import PulseService

@Suite("PulseMonitor, reading certificates", .timeLimit(.minutes(1)))
struct PulseMonitorCertificateTests {
  private let clock = RecordedClock()
  private let endpoints = FakeEndpointGateway()

  private func store(_ rule: String) throws -> Store<PulseMonitor> {
    Store(
      initial: PulseState(rules: [try AlertRule(rule)]),
      interactor: PulseMonitor.fake(endpoints: endpoints, clock: clock), configuration: .fake(clock))
  }

  /// The word of the only alert after a probe.
  private func word(_ store: Store<PulseMonitor>, after endpoint: Endpoint = .guarded) async -> String? {
    _ = await store.send(.probe(endpoint)).outcome
    return await store.state.alerts.first?.status.word
  }

  @Test("Certificates are read by one probe an hour, and a probe that does not read them leaves their alert as it is")
  func hourly() async throws {
    for days in [1.0, 90] { endpoints.certificates.reply(.expires(after: .days(days))) }
    endpoints.probes.reply(times: 3)
    endpoints.probes.fail(GatewayFailure.lasting("no"))
    endpoints.probes.reply()
    let store = try store("target certificate expires within 14 days")
    for (seconds, count) in [(0, 1), (3_598, 1), (1, 1)] {
      clock.advance(by: .seconds(seconds))
      #expect(await word(store) == "firing")
      #expect(endpoints.certificates.callCount == count)
    }
    clock.advance(by: .seconds(1))
    // The target does not answer when they are due.
    #expect(await word(store) == "firing")
    #expect(await word(store) == "resolved")
    await endpoints.finish()
  }

  @Test("Without a rule about them, and of a target without any, no certificates are read")
  func unwatched() async throws {
    endpoints.probes.reply(times: 3)
    let other = try store("target down")
    #expect(await word(other) == "ok")
    let certificates = try store("target certificate expires within 14 days")
    for endpoint in [Endpoint.web, .database] { #expect(await word(certificates, after: endpoint) == nil) }
    await endpoints.finish()
  }

  @Test("A certificate that has expired fires by the failure of the probe, and its renewal is seen by the next one")
  func expired() async throws {
    for days in [90.0, 89] { endpoints.certificates.reply(.expires(after: .days(days))) }
    endpoints.probes.reply()
    endpoints.probes.fail(GatewayFailure(TransferFailure.expired))
    endpoints.probes.reply()
    let store = try store("target certificate expires within 14 days")
    for word in ["ok", "firing", "resolved"] { #expect(await self.word(store) == word) }
    await endpoints.finish()
  }

  @Test("An expired certificate is nothing to note where no rule is about certificates")
  func unwatchedExpired() async throws {
    endpoints.probes.fail(GatewayFailure(TransferFailure.expired))
    let store = try store("target down")
    #expect(await word(store) == "firing")
    #expect(await store.snapshot.revision == 2, "the probe began and ended")
    await endpoints.finish()
  }

  @Test("The certificates that come with a bad status are noted, but not before another attempt")
  func badStatus() async throws {
    let certificate = CertificateReading.expires(after: .days(1))
    endpoints.probes.fail(GatewayFailure.status(503, certificate: certificate), times: 2)
    endpoints.probes.fail(GatewayFailure.status(404, certificate: certificate))
    let store = try store("target certificate expires within 14 days")
    let receipt = store.send(.probe(.guarded))
    for alarm in [100, 300] {
      #expect(await store.state.alerts.map(\.status.word) == ["ok"])
      try await clock.advance(toAlarmAt: .milliseconds(alarm))
    }
    _ = await receipt.outcome
    #expect(await store.state.alerts.map(\.status.word) == ["firing"])
    #expect(await store.state.target(.guarded)?.result == .down(reason: "status 404", status: 404))
    await endpoints.finish()
  }
}
