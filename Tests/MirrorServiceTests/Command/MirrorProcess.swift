import Foundation
import Millrace
import MillraceSocketClient
import Testing

@testable import MirrorService

/// The command `mirror` as a process of its own.
///
/// Reading blocks a thread of its own, and nothing is waited for by the clock.
final class MirrorProcess: Sendable {
  private let process: Lock<Process>
  private let output: FileHandle
  private let errors: FileHandle
  private let exits: AsyncStream<Int32>

  init(_ arguments: [String], maximumOpenFiles: Int? = nil) throws {
    let process = Process()
    let output = Pipe()
    let errors = Pipe()
    let (exits, exit) = AsyncStream.makeStream(of: Int32.self)
    process.executableURL = Self.executable
    process.arguments = arguments
    if let maximumOpenFiles {
      // The shell becomes the command, with the limit that it has set for itself.
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", "ulimit -n \(maximumOpenFiles); exec \"$0\" \"$@\"", Self.executable.path] + arguments
    }
    // What a sanitizer was told, and where libraries are, holds for the process too.
    process.environment = ProcessInfo.processInfo.environment
      .filter { $0.key.hasSuffix("SAN_OPTIONS") || ["LD_LIBRARY_PATH", "MILLRACE_BUG"].contains($0.key) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    process.terminationHandler = { process in
      // A process that was killed by a signal has no exit code; shells show it as this sum.
      exit.yield(process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus)
      exit.finish()
    }
    try process.run()
    self.output = output.fileHandleForReading
    self.errors = errors.fileHandleForReading
    self.exits = exits
    self.process = Lock(process)
  }

  /// Starts a mirror of a server on a free port, and returns it with the port once it listens.
  static func listening(
    _ upstream: String, _ arguments: [String] = [], maximumOpenFiles: Int? = nil
  ) async throws -> (MirrorProcess, UInt16) {
    let mirror = try MirrorProcess(
      ["--listen", "0", "--repository", "libs", "--upstream", upstream] + arguments, maximumOpenFiles: maximumOpenFiles)
    if maximumOpenFiles != nil { #expect(await mirror.line().hasPrefix("mirror may open ")) }
    let line = await mirror.line()
    let port = try #require(line.wholeMatch(of: /mirror listens on 127\.0\.0\.1:(\d+)/)?.output.1, "\(line)")
    return (mirror, try #require(UInt16(port)))
  }

  /// The folder of this build's products, which also holds the tests.
  private static var executable: URL {
    #if os(Linux)
      URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "mirror")
    #else
      Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL.deletingLastPathComponent()
        .appending(path: "mirror")
    #endif
  }

  func send(_ number: Int32) {
    _ = process.withLock { kill($0.processIdentifier, number) }
  }

  /// The exit code, when the process has ended.
  var exitCode: Int32 {
    get async {
      for await code in exits { return code }
      return -1
    }
  }

  /// The next line on standard error; empty at the end.
  func line() async -> String {
    await onThread { [errors] in
      var bytes: [UInt8] = []
      var byte: UInt8 = 0
      while read(errors.fileDescriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Everything that is written to standard error until the end.
  func rest() async -> String {
    await onThread { [errors] in String(decoding: (try? errors.readToEnd()) ?? Data(), as: UTF8.self) }
  }

  /// Runs a command until its end, and returns what it wrote, the errors last, and its exit code.
  static func run(_ arguments: [String], maximumOpenFiles: Int? = nil) async throws -> (text: String, code: Int32) {
    let process = try MirrorProcess(arguments, maximumOpenFiles: maximumOpenFiles)
    let output = await onThread { [process] in
      String(decoding: (try? process.output.readToEnd()) ?? Data(), as: UTF8.self)
    }
    return (output + (await process.rest()), await process.exitCode)
  }
}
