import Foundation
import MillraceRecording

/// Writes to standard output in large parts, and says why it cannot.
struct StandardOutput {
  private static let size = 1 << 16

  private var buffer = Data()

  /// Writes a text at once.
  static func write(_ text: String) throws(CommandFailure) {
    try write(Data(text.utf8))
  }

  /// Writes a text once there is enough of it.
  mutating func add(_ text: String) throws(CommandFailure) {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= Self.size { try flush() }
  }

  /// Writes what is left.
  mutating func flush() throws(CommandFailure) {
    try Self.write(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  private static func write(_ data: Data) throws(CommandFailure) {
    do {
      try FileHandle.standardOutput.write(contentsOf: data)
    } catch {
      throw CommandFailure(
        "Standard output cannot be written to: \(RecordingError.reason(of: error)); give it a place that can be written to.",
        code: EX_IOERR)
    }
  }
}
