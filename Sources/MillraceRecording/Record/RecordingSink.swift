import Foundation

/// Where lines of a recording go.
protocol RecordingSink: Sendable {
  /// Begins a recording with its first line, in place of an earlier one.
  mutating func begin(_ header: Data) throws(RecordingError)

  /// Adds whole lines.
  mutating func write(_ lines: Data) throws(RecordingError)

  /// Ends it.
  mutating func close()
}

/// A file, and the one before it under the same name with `.1` behind.
struct RecordingFile: RecordingSink {
  private let url: URL
  private var handle: FileHandle?

  init(_ url: URL) {
    self.url = url
  }

  mutating func begin(_ header: Data) throws(RecordingError) {
    close()
    do {
      let files = FileManager.default
      if files.fileExists(atPath: url.path) {
        let earlier = url.appendingPathExtension("1")
        if files.fileExists(atPath: earlier.path) { try files.removeItem(at: earlier) }
        try files.moveItem(at: url, to: earlier)
      }
      handle = try FileHandle(creating: url)
      try handle?.write(contentsOf: header)
    } catch {
      throw .unwritable(url, error)
    }
  }

  mutating func write(_ lines: Data) throws(RecordingError) {
    do {
      try handle?.write(contentsOf: lines)
    } catch {
      throw .unwritable(url, error)
    }
  }

  mutating func close() {
    try? handle?.close()  // All was written; there is nobody left to tell.
    handle = nil
  }
}
