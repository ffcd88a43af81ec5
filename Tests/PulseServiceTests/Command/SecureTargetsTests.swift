import Foundation
import MillraceHTTP
import MillraceSecureServer
import Testing

@testable import PulseService

@Suite("Targets by https", .timeLimit(.minutes(1)), .enabled(if: SecureServer.isAvailable, "There is no openssl."))
struct SecureTargetsTests {
  @Test(
    "A certificate that is not trusted is down for its own reason, with its cure",
    arguments: [
      (.valid, "up"), (.expired, "certificate has expired; renew it"),
      (.notYetValid, "certificate is not valid yet; compare the clocks of both machines"),
      (.otherHost, "certificate is for another host; name the host that it is for"),
      (.selfSigned, "certificate is self-signed; trust it by --ca FILE"),
    ] as [(Certificate, String)])
  func reasons(certificate: Certificate, verdict: String) async throws {
    let server = try SecureServer(certificate)
    defer { server.stop() }
    #expect(try await self.verdict(of: server, trusting: TrustedIssuers(file: server.issuers.path)) == verdict)
  }

  @Test("An issuer that is unknown is named as the reason")
  func unknownIssuer() async throws {
    let server = try SecureServer(.valid)
    defer { server.stop() }
    #expect(
      try await verdict(of: server, trusting: nil) == "issuer of the certificate is unknown; trust it by --ca FILE")
  }

  private func verdict(of server: SecureServer, trusting issuers: TrustedIssuers?) async throws -> String {
    let gateway = LiveEndpointGateway(
      limit: .seconds(60), resolver: Resolver { _ in ["127.0.0.1"] }, issuers: issuers)
    do {
      try await gateway.probe(Endpoint(server.url(host: "a.loop")))
      return "up"
    } catch let failure as GatewayFailure {
      return failure.description
    }
  }

  /// The end of the year 2119, a week before the end of the valid certificate.
  private let lastWeek = Date(timeIntervalSince1970: 4_733_510_400 - 7 * 86_400)

  @Test(
    "The first certificate to expire of all that a server sends is read",
    arguments: [
      ([], .expires(after: .days(7))), ([.otherHost], .expires(after: .days(7))),
      ([.otherHost, .expired], .expires(after: .zero)), ([.ancient], .unreadable),
    ] as [([Certificate], CertificateReading)])
  func certificates(others: [Certificate], reading: CertificateReading) async throws {
    let server = try SecureServer(.valid, and: others)
    defer { server.stop() }
    let gateway = LiveEndpointGateway(
      limit: .seconds(60), issuers: try TrustedIssuers(file: server.issuers.path), now: { [lastWeek] in lastWeek })
    let endpoint = try Endpoint(server.url())
    #expect(try await gateway.probe(endpoint, readsCertificate: true) == ProbeAnswer(status: 200, certificate: reading))
    #expect(try await gateway.probe(endpoint, readsCertificate: false) == ProbeAnswer(status: 200))
  }

  @Test("A server whose certificate has expired fails with that certificate")
  func expiredCertificate() async throws {
    let server = try SecureServer(.expired)
    defer { server.stop() }
    let gateway = LiveEndpointGateway(limit: .seconds(60), issuers: try TrustedIssuers(file: server.issuers.path))
    let failure = await #expect(throws: GatewayFailure.self) { try await gateway.probe(Endpoint(server.url())) }
    #expect(failure?.certificate == .expires(after: .zero))
  }

  @Test("pulse raises an alert about a certificate that expires in three days", arguments: [(14, 2), (2, 0)])
  func soon(days: Int, exitCode: Int32) async throws {
    let server = try SecureServer(expiringAfterDays: 3)
    defer { server.stop() }
    let pulse = try PulseProcess([
      "--once", "--watch", server.url(), "--ca", server.issuers.path, "--alert",
      "target certificate expires within \(days) days",
    ])
    let output = try await pulse.rest(of: pulse.output)
    #expect(output.contains("\(server.url()) up") && output.contains("firing: target certificate") == (exitCode == 2))
    #expect(await pulse.exitCode == exitCode)
  }

  @Test("pulse --ca trusts the issuers of a file, and without it those of the system")
  func trusted() async throws {
    let server = try SecureServer(.valid)
    defer { server.stop() }
    for (flags, word) in [(["--ca", server.issuers.path], "up"), ([], "down")] {
      let pulse = try PulseProcess(["--once", "--watch", server.url()] + flags)
      #expect(try await pulse.rest(of: pulse.output).contains("\(server.url()) \(word)"))
    }
  }

  @Test("pulse reads the file of issuers once for the connections of all its probes")
  func once() async throws {
    let server = try SecureServer(.valid)
    defer { server.stop() }
    let pulse = try PulseProcess(["--json", "--every", "0.01", "--watch", server.url(), "--ca", server.issuers.path])
    // Each probe has a latency of its own.
    var latencies: Set<String> = []
    while latencies.count < 5 {
      let line = try await pulse.text(from: pulse.output, through: "\n")
      try #require(!line.isEmpty && !line.contains(#""reason""#), "\(line)")
      guard let latency = line.firstMatch(of: #/"latencySeconds":[0-9.e-]+/#) else { continue }
      // A probe that reads the file from now on is down.
      if latencies.isEmpty { try FileManager.default.removeItem(at: server.issuers) }
      latencies.insert(String(latency.output))
    }
    pulse.send(SIGTERM)
    _ = try await pulse.rest(of: pulse.output)
    #expect(await pulse.exitCode == 0)
  }
}
