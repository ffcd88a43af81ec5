#if Inspector
  import Foundation
  import Millrace
  import MillraceSecureServer
  import MillraceSocketClient
  import Testing

  @testable import MillraceInspector

  @Suite("Inspector by TLS", .timeLimit(.minutes(1)))
  struct SecureInspectorTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "inspector-\(UUID().uuidString)")

    private func file(_ name: String, _ text: String) throws -> String {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appending(path: name)
      try Data((text + "\n").utf8).write(to: file)
      return file.path
    }

    private func options(_ certificate: String, _ key: String) -> InspectorOptions {
      var options = InspectorOptions()
      options.certificate = (certificate, key)
      return options
    }

    @Test("A client that trusts the issuer of the certificate is answered; one without TLS is not")
    func served() async throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let (certificate, key) = (try file("certificate", Certificate.valid.pem), try file("key", Certificate.key))
      let issuer = try file("issuer", Certificate.issuer)
      let inspector = try Inspector(port: 0, options: options(certificate, key))
      let port = try #require(inspector.port)
      let client = Process()
      client.executableURL = URL(filePath: "/usr/bin/openssl")
      client.arguments = [
        "s_client", "-quiet", "-verify_return_error", "-CAfile", issuer, "-connect", "127.0.0.1:\(port)",
      ]
      let (input, output) = (Pipe(), Pipe())
      (client.standardInput, client.standardOutput, client.standardError) = (input, output, FileHandle.nullDevice)
      try client.run()
      try input.fileHandleForWriting.write(
        contentsOf: Data("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
      let reading = output.fileHandleForReading
      let answer = await onThread { (try? reading.readToEnd()).map { String(decoding: $0, as: UTF8.self) } }
      #expect(answer?.hasPrefix("HTTP/1.1 200 ") == true && answer?.hasSuffix("ok\n") == true)
      let plain = try #require(LineClient(port: UInt16(port)))
      plain.send("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      #expect(!(await plain.rest()).contains("HTTP/1.1"))
      await inspector.close()
    }

    @Test("A certificate that is none, that is missing, or of another key is an error with the fix, and frees the port")
    func badCertificates() async throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let (certificate, key) = (try file("certificate", Certificate.valid.pem), try file("key", Certificate.key))
      let garbage = try file("garbage", "-----BEGIN CERTIFICATE-----")
      func failure(_ certificate: String, _ key: String, port: Int = 0) async -> String? {
        do {
          await (try Inspector(port: port, options: options(certificate, key))).close()
          return nil
        } catch {
          return "\(error)"
        }
      }
      let unusable =
        "libmicrohttpd cannot use the certificate; give PEM files of a certificate and the key that belongs to it."
      #expect(await failure(garbage, key) == unusable)
      #expect(await failure(certificate, garbage) == unusable)
      let missing = await failure(certificate, folder.appending(path: "missing").path)
      #expect(missing?.hasPrefix("'\(folder.path)/missing' cannot be read as a PEM file: ") == true)
      #expect(await failure(certificate, key) == nil)
    }
  }
#endif
