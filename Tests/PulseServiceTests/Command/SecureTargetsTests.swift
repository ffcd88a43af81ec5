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
