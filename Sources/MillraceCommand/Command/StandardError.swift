import Foundation

/// Standard error, for failures and progress.
enum StandardError {
  static func write(_ text: String) {
    // Where that fails, no reader is left.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
