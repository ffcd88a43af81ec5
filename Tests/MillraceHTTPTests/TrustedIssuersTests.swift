import Foundation
import MillraceFlags
import MillraceSecureServer
import Testing

@testable import MillraceHTTP

@Suite("TrustedIssuers", .timeLimit(.minutes(1)))
struct TrustedIssuersTests {
  private func request(_ server: SecureServer) throws -> TransferLoop.Request {
    TransferLoop.Request(url: try #require(TransferURL(server.url())), limit: .seconds(60))
  }

  @Test(
    "The issuers are read once for many connections: to parse those of the system takes 16 ms of a processor",
    .enabled(if: SecureServer.isAvailable, "There is no openssl on this machine."))
  func once() async throws {
    let server = try SecureServer(.valid)
    defer { server.stop() }
    let loop = TransferLoop(agent: "tests", issuers: try TrustedIssuers(file: server.issuers.path))
    #expect(try await loop.answer(to: request(server)).status == 200)
    try FileManager.default.removeItem(at: server.issuers)
    for _ in 0..<3 { #expect(try await loop.answer(to: request(server)).status == 200) }
  }

  @Test(
    "Without the issuer of its certificate a server is not trusted, and with the file of another issuer neither",
    .enabled(if: SecureServer.isAvailable, "There is no openssl on this machine."))
  func unknown() async throws {
    let server = try SecureServer(.valid)
    defer { server.stop() }
    await #expect(throws: TransferFailure.self) {
      try await TransferLoop(agent: "tests").answer(to: request(server))
    }
    let selfSigned = try SecureServer(.selfSigned)
    defer { selfSigned.stop() }
    let loop = TransferLoop(agent: "tests", issuers: try TrustedIssuers(file: server.issuers.path))
    await #expect(throws: TransferFailure.self) { try await loop.answer(to: request(selfSigned)) }
  }

  @Test("A file that is missing or has no certificate is a sentence that says the fix")
  func unusable() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let flags = Flags(command: "x", summary: "x", [.trustedIssuers])
    func issuers() throws -> TrustedIssuers? { try flags.parse(["--ca", path]).trustedIssuers() }
    func sentence(_ reason: String) -> FlagError {
      FlagError("--ca was given '\(path)', which \(reason); name a file of certificates in PEM, such as a ca.pem.")
    }
    #expect(throws: sentence("does not exist")) { try issuers() }
    let folder = "--ca was given '/', which is a folder; name a file of certificates in PEM, such as a ca.pem."
    #expect(throws: FlagError(folder)) {
      try flags.parse(["--ca", "/"]).trustedIssuers()
    }
    try Data("no certificate".utf8).write(to: URL(filePath: path))
    #expect(throws: sentence("has no certificate in it")) { try issuers() }
    try Data("-----BEGIN CERTIFICATE-----\n".utf8).write(to: URL(filePath: path))
    #expect(try issuers()?.path == path)
    #expect(try flags.parse([]).trustedIssuers() == nil)
  }
}
