import Foundation

/// A command that was run to its end as a process of its own, with what it wrote.
struct FinishedCommand: Sendable {
  let code: Int32
  let output: String
  let errors: String

  /// Runs a product of this build, or any program by its path.
  ///
  /// - Parameters:
  ///   - program: the name of the product, or a path.
  ///   - output: where standard output goes, if not to ``output``.
  init(_ program: String, _ arguments: [String], in folder: Folder, output: URL? = nil) async throws {
    let process = Process()
    process.executableURL = program.hasPrefix("/") ? URL(filePath: program) : Self.products.appending(path: program)
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    process.standardInput = FileHandle.nullDevice
    // Files, because a pipe could fill up while no thread reads it.
    let id = UUID().uuidString
    let (outputFile, errorFile) = (output ?? folder.file("\(id).out"), folder.file("\(id).err"))
    let handles = (try Self.handle(outputFile, isNew: output == nil), try Self.handle(errorFile, isNew: true))
    (process.standardOutput, process.standardError) = handles
    let (exits, exit) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in exit.finish() }
    try process.run()
    for await _ in exits {}
    for handle in [handles.0, handles.1] { try handle.close() }
    // A process that was killed by a signal has no exit code; shells show it as this sum.
    code = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    self.output = output == nil ? try String(contentsOf: outputFile, encoding: .utf8) : ""
    errors = try String(contentsOf: errorFile, encoding: .utf8)
  }

  private static func handle(_ url: URL, isNew: Bool) throws -> FileHandle {
    if isNew { try Data().write(to: url) }
    return try FileHandle(forWritingTo: url)
  }

  /// The folder of this build's products, which also holds the tests.
  static var products: URL {
    #if os(Linux)
      URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    #else
      Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL.deletingLastPathComponent()
    #endif
  }
}
