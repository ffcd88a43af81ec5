import Foundation
import Millrace
import MillraceTerminal

@testable import PulseService

/// The command `pulse`, or another one, as a process of its own, with pipes for what it writes.
///
/// Reading blocks a thread of its own, and nothing is waited for by the clock.
final class PulseProcess: Sendable {
  let output: FileHandle
  let errors: FileHandle
  private let process: Lock<Process>
  private let exits: AsyncStream<Int32>

  /// Starts the command; `terminal` takes the place of the pipe for standard output, and `keyboard` that of an empty standard input.
  init(
    _ arguments: [String], of command: String = "pulse", terminal: FileHandle? = nil, keyboard: FileHandle? = nil,
    environment: [String: String] = [:], maximumOpenFiles: Int? = nil
  ) throws {
    let executable = Self.executable(command)
    let process = Process()
    let output = Pipe()
    let errors = Pipe()
    let (exits, exit) = AsyncStream.makeStream(of: Int32.self)
    process.executableURL = executable
    process.arguments = arguments
    if let maximumOpenFiles {
      // The shell becomes the command, with the limit that it has set for itself.
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", "ulimit -n \(maximumOpenFiles); exec \"$0\" \"$@\"", executable.path] + arguments
    }
    // The process has the options of a sanitizer, the folders of its symbolizer and of libraries, and the planted bug too.
    process.environment = ProcessInfo.processInfo.environment
      .filter { $0.key.hasSuffix("SAN_OPTIONS") || ["PATH", "LD_LIBRARY_PATH", "MILLRACE_BUG"].contains($0.key) }
      .merging(environment) { $1 }
    process.standardInput = keyboard ?? .nullDevice
    process.standardOutput = terminal ?? output
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

  /// The folder of this build's products, which also holds the tests.
  static func executable(_ command: String = "pulse") -> URL {
    #if os(Linux)
      URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: command)
    #else
      Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL.deletingLastPathComponent()
        .appending(path: command)
    #endif
  }

  func send(_ number: Int32) {
    _ = process.withLock { kill($0.processIdentifier, number) }
  }

  /// Kills the process if it runs.
  func end() {
    process.withLock { if $0.isRunning { kill($0.processIdentifier, SIGKILL) } }
  }

  #if os(Linux)
    /// Returns when the process is stopped.
    ///
    /// A SIGCONT that is sent as soon as the text before the stop is read may arrive before the stop; then the process
    /// is never continued.
    func stopped() async throws {
      let id = process.withLock { id_t($0.processIdentifier) }
      try await blockingCall {
        var state = siginfo_t()
        guard waitid(P_PID, id, &state, WSTOPPED | WNOWAIT) == 0 else {
          throw POSIXError(.init(rawValue: errno) ?? .ESRCH)
        }
      }
    }
  #endif

  /// The exit code, when the process has ended.
  var exitCode: Int32 {
    get async {
      for await code in exits { return code }
      return -1
    }
  }

  /// Everything that is written until the end.
  func rest(of handle: FileHandle) async throws -> String {
    try await blockingCall { String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self) }
  }

  /// The text up to and including `mark`, or up to the end.
  func text(from handle: FileHandle, through mark: String) async throws -> String {
    try await blockingCall {
      var bytes: [UInt8] = []
      var byte: UInt8 = 0
      while read(handle.fileDescriptor, &byte, 1) == 1 {
        bytes.append(byte)
        if bytes.suffix(mark.utf8.count).elementsEqual(mark.utf8) { break }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
}
