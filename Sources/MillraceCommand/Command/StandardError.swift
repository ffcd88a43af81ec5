import Foundation

/// Where it is said what is wrong, and how far something is.
enum StandardError {
  static func write(_ text: String) {
    // Where that fails, there is nobody to tell.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
