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
  public init(_ certificate: Certificate) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    issuers = folder.appending(path: "issuers.pem")
    try Data((Certificate.issuer + "\n").utf8).write(to: issuers)
    let file = folder.appending(path: "server.pem")
    try Data("\(Certificate.key)\n\(certificate.pem)\n".utf8).write(to: file)
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: Self.executable)
    process.arguments = ["s_server", "-accept", "127.0.0.1:0", "-cert", file.path, "-key", file.path, "-www"]
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
