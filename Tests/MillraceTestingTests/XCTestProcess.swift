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
      // A file, for a process that outlives this one, such as a backtracer, would keep a pipe open.
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("millrace-\(UUID().uuidString).txt")
      try Data().write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let output = try FileHandle(forWritingTo: file)
      process.standardOutput = output
      process.standardError = withErrors ? output : FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      self.output = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      hasPassed = process.terminationStatus == 0
    }
  }
#endif
