#if canImport(Glibc)
  import Foundation

  /// The result of an XCTest case that ran in another process of this program.
  struct XCTestProcess {
    /// The text that the process wrote to standard output, and to standard error if both were asked for.
    let output: String

    /// Whether no test of it failed.
    let hasPassed: Bool

    /// Runs the tests of a case, or a single one as `Case/test`, with these in their environment, until the process ends.
    init(running test: String, environment: [String: String], withErrors: Bool = false) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = ["MillraceTestingTests.\(test)"]
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      let output = Pipe()
      process.standardOutput = output
      process.standardError = withErrors ? output as Any : FileHandle.nullDevice
      try process.run()
      self.output = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      hasPassed = process.terminationStatus == 0
    }
  }
#endif
