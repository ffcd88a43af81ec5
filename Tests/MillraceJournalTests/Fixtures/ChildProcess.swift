#if SQLite
  import Foundation
  import Millrace

  /// A program of this build as a process of its own, with pipes for what it writes.
  ///
  /// Reading blocks a thread of its own, and nothing is waited for by the clock.
  final class ChildProcess: Sendable {
    /// The end of a process: its exit code, or the signal that killed it.
    enum End: Equatable {
      case exit(Int32)
      case signal(Int32)
    }

    let id: pid_t
    private let output: FileHandle
    private let errors: FileHandle
    private let ends: AsyncStream<End>

    /// Starts a program of the folder that also has the tests.
    ///
    /// - Parameter limit: The commands of the shell before it becomes the program; nil starts the program without a shell.
    init(_ name: String, _ arguments: [String], limit: String? = nil) throws {
      let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: name)
      let (process, output, errors) = (Process(), Pipe(), Pipe())
      let (ends, end) = AsyncStream.makeStream(of: End.self)
      process.executableURL = limit == nil ? executable : URL(filePath: "/bin/sh")
      process.arguments =
        limit.map { ["-c", "\($0); exec \"$0\" \"$@\"", executable.path] + arguments } ?? arguments
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output
      process.standardError = errors
      process.terminationHandler = { process in
        end.yield(
          process.terminationReason == .exit ? .exit(process.terminationStatus) : .signal(process.terminationStatus))
        end.finish()
      }
      try process.run()
      id = process.processIdentifier
      self.output = output.fileHandleForReading
      self.errors = errors.fileHandleForReading
      self.ends = ends
    }

    func send(_ signal: Int32) { kill(id, signal) }

    /// The end of the process, when it has come.
    var end: End? {
      get async {
        for await end in ends { return end }
        return nil
      }
    }

    /// Reads standard output through `count` lines that are counted and `bytes` bytes behind them, or to its end.
    func lines(
      _ count: Int, andBytes bytes: Int = 0, where isCounted: @escaping @Sendable (String) -> Bool = { _ in true }
    )
      async -> String
    {
      await onThread { [output] in
        var (text, line, left, rest): ([UInt8], [UInt8], Int, Int) = ([], [], count, bytes)
        var byte: UInt8 = 0
        while left > 0 || rest > 0, read(output.fileDescriptor, &byte, 1) == 1 {
          text.append(byte)
          if left == 0 {
            rest -= 1
          } else if byte == UInt8(ascii: "\n") {
            if isCounted(String(decoding: line, as: UTF8.self)) { left -= 1 }
            line = []
          } else {
            line.append(byte)
          }
        }
        return String(decoding: text, as: UTF8.self)
      }
    }

    /// The rest of standard output.
    var rest: String {
      get async { await onThread { [output] in Self.text(of: output) } }
    }

    /// Closes the end of standard output that is read here, as a program does that has seen enough.
    func closeOutput() throws { try output.close() }

    /// All of standard error.
    var complaints: String {
      get async { await onThread { [errors] in Self.text(of: errors) } }
    }

    private static func text(of handle: FileHandle) -> String {
      String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)
    }

    private func onThread(_ body: @escaping @Sendable () -> String) async -> String {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
      }
    }
  }
#endif
