public import Foundation

/// An HTTPS server on 127.0.0.1 that answers each GET with the status 200: the program `openssl`, which comes with ca-certificates.
///
/// It serves one connection at a time.
public final class SecureServer: Sendable {
  /// The port that the system has chosen.
  public let port: UInt16
  /// The file with the issuer of its certificate.
  public let issuers: URL
  private let folder: URL
  private let processID: Int32

  /// Whether this machine has the program.
  public static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: executable) }

  private static let executable = "/usr/bin/openssl"

  /// Starts the server, and returns once it listens.
  ///
  /// - Parameter others: Certificates that the server sends behind its own.
  public convenience init(_ certificate: Certificate, and others: [Certificate] = []) throws {
    let folder = try Self.folder()
    let certificates = folder.appending(path: "server.pem")
    try Data("\(certificate.pem)\n".utf8).write(to: certificates)
    try self.init(in: folder, others: others)
  }

  /// Starts the server with a certificate for `a.loop` and 127.0.0.1 that is made now, and returns once it listens.
  ///
  /// - Parameter days: The days until the certificate expires.
  public convenience init(expiringAfterDays days: Int) throws {
    let folder = try Self.folder()
    let openssl = Process()
    openssl.executableURL = URL(filePath: Self.executable)
    openssl.currentDirectoryURL = folder
    openssl.arguments =
      ["req", "-x509", "-new", "-key", "key.pem", "-CA", "issuers.pem", "-CAkey", "key.pem", "-subj", "/CN=a.loop"]
      + ["-addext", "subjectAltName=DNS:a.loop,IP:127.0.0.1", "-days", "\(days)", "-out", "server.pem"]
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
    try self.init(in: folder, others: [])
  }

  /// Creates a folder with the key and the issuer of all certificates.
  private static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try Data("\(Certificate.issuer)\n".utf8).write(to: folder.appending(path: "issuers.pem"))
    try Data("\(Certificate.key)\n".utf8).write(to: folder.appending(path: "key.pem"))
    return folder
  }

  /// Starts the server with the certificate in a folder.
  private init(in folder: URL, others: [Certificate]) throws {
    self.folder = folder
    issuers = folder.appending(path: "issuers.pem")
    let chain = folder.appending(path: "chain.pem")
    try Data(others.map { "\($0.pem)\n" }.joined().utf8).write(to: chain)
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: Self.executable)
    process.currentDirectoryURL = folder
    process.arguments =
      ["s_server", "-accept", "127.0.0.1:0", "-cert", "server.pem", "-key", "key.pem", "-www"]
      + (others.isEmpty ? [] : ["-cert_chain", chain.path])
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    processID = process.processIdentifier
    // It says "ACCEPT 127.0.0.1:PORT" once it listens.
    var text = ""
    while !text.contains("ACCEPT") || !text.hasSuffix("\n") {
      let piece = output.fileHandleForReading.availableData
      guard !piece.isEmpty else { throw CocoaError(.fileReadUnknown) }
      text += String(decoding: piece, as: UTF8.self)
    }
    guard let port = UInt16(text.split(separator: ":").last?.dropLast() ?? "") else {
      throw CocoaError(.fileReadCorruptFile)
    }
    self.port = port
  }

  /// The URL of the server by a name, which a test's resolver leads to it.
  public func url(host: String = "127.0.0.1") -> String { "https://\(host):\(port)/" }

  /// Ends the server.
  public func stop() {
    kill(processID, SIGKILL)
    try? FileManager.default.removeItem(at: folder)
  }
}
