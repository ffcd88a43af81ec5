import Foundation

/// A PostgreSQL server of this test process, which ends with it.
package final class PostgresServer: Sendable {
  /// The server that most tests share, each with a schema of its own.
  package static let shared = Task { try await PostgresServer() }

  /// The address of a database, as its only user.
  package let address: String
  private let process: Process
  private let input: FileHandle
  private let output: FileHandle

  /// Starts a server, with these settings of its configuration.
  package init(_ settings: [String] = []) async throws {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../postgres")
    process.arguments = settings
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    self.process = process
    self.input = input.fileHandleForWriting
    self.output = output.fileHandleForReading
    address = await Self.line(of: output.fileHandleForReading)
    if !address.hasPrefix("postgresql://") { throw Failure(said: address) }
  }

  /// The address of a pgbouncer in front of the server that most tests share.
  package static let sharedPool = Task { try await shared.value.pooled() }

  /// Starts pgbouncer in front of the server, in transaction mode, and returns its address.
  ///
  /// - Parameter size: The largest number of connections to the server.
  package func pooled(_ size: Int? = nil) async throws -> String {
    try await address(from: size.map { "pool \($0)" } ?? "pool")
  }

  /// Starts a standby with the name "standby", and returns the address of both servers, of which a connection is to the one that takes writes.
  package func standby() async throws -> String { try await address(from: "standby") }

  /// Sends the server's script a command that ends with another server taking writes, and returns the address of that one.
  package func move(_ command: String) async throws -> String { try await address(from: command) }

  /// Sends the server's script a command that prints an address.
  private func address(from command: String) async throws -> String {
    try input.write(contentsOf: Data("\(command)\n".utf8))
    let address = await Self.line(of: output)
    if !address.hasPrefix("postgresql://") { throw Failure(said: address) }
    let said = await Self.line(of: output)
    if said != "done" { throw Failure(said: said) }
    return address
  }

  /// Sends the server's script a command, and waits until it has done it.
  package func perform(_ command: String) async throws {
    try input.write(contentsOf: Data("\(command)\n".utf8))
    let said = await Self.line(of: output)
    if said != "done" { throw Failure(said: said) }
  }

  /// A line of the script in place of an answer; the reason is in its standard error, which is that of the tests.
  package struct Failure: Error, CustomStringConvertible {
    let said: String

    package var description: String { "Tests/postgres has no server and said '\(said)'; its reason stands above." }
  }

  private static func line(of handle: FileHandle) async -> String {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var (line, byte): ([UInt8], UInt8) = ([], 0)
        while read(handle.fileDescriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        continuation.resume(returning: String(decoding: line, as: UTF8.self))
      }
    }
  }
}
