import Foundation
import MillraceLoopback
import MillraceSecureServer
import Testing

@testable import MillraceHTTP

@Suite("Certificates", .timeLimit(.minutes(1)), .enabled(if: SecureServer.isAvailable, "There is no openssl."))
struct CertificatesTests {
  @Test("The expiry of certificates is read if the request asks for it")
  func expiry() async throws {
    let server = try SecureServer(.valid)
    defer { server.stop() }
    let loop = TransferLoop(agent: "tests", issuers: try TrustedIssuers(file: server.issuers.path))
    var request = TransferLoop.Request(url: try #require(TransferURL(server.url())), limit: .seconds(60))
    for readsCertificates in [false, true, false] {
      request.readsCertificates = readsCertificates
      let expiry = try await loop.answer(to: request).expiry
      #expect(expiry == (readsCertificates ? Date(timeIntervalSince1970: 4_733_510_400) : nil))
    }
  }

  @Test("A server without certificates has no expiry")
  func none() async throws {
    let responder = try LoopbackResponder { _ in .answer() }
    defer { responder.stop() }
    var request = TransferLoop.Request(url: try #require(TransferURL(responder.url())), limit: .seconds(60))
    request.readsCertificates = true
    #expect(try await TransferLoop(agent: "tests").answer(to: request).expiry == nil)
  }
}
