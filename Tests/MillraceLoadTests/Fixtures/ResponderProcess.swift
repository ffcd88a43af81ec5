import Foundation

/// An HTTP responder as a process of its own, which answers each request after the same delay.
final class ResponderProcess {
  /// The URL that it answers.
  let url: String
  private let process = Process()
  private let input = Pipe()

  init(delay: Duration) throws {
    let output = Pipe()
    process.executableURL = FinishedCommand.products.appending(path: "MillraceResponder")
    process.arguments = ["\(Int(delay / .milliseconds(1)))"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    // The port is the only line, written at once: the responder listens by then.
    let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    url = "http://127.0.0.1:\(port.trimmingCharacters(in: .newlines))/"
  }

  /// Ends the process; when this returns it has ended.
  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
