import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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
///
/// Nothing is moved or removed that is not a file with a recording, or an empty one.
struct RecordingFile: RecordingSink {
  private let url: URL
  private var handle: FileHandle?

  init(_ url: URL) {
    self.url = url
  }

  mutating func begin(_ header: Data) throws(RecordingError) {
    close()
    let earlier = url.appendingPathExtension("1")
    try Self.checkReplaceable(url)
    if Self.exists(url) {
      try Self.checkReplaceable(earlier)
      // It takes the place of what is there in one step.
      if rename(url.path, earlier.path) != 0 { throw .unwritable(url, Self.lastError) }
    }
    do {
      let handle = try FileHandle(creating: url)
      self.handle = handle
      try handle.write(contentsOf: header)
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

  private static func exists(_ url: URL) -> Bool {
    var status = stat()
    return lstat(url.path, &status) == 0
  }

  private static var lastError: NSError { NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }

  /// Says no where something else would be lost than a recording.
  private static func checkReplaceable(_ url: URL) throws(RecordingError) {
    var status = stat()
    guard lstat(url.path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notReplaceable(url, "is no ordinary file") }
    let begin: Data
    do {
      let handle = try FileHandle(forReadingFrom: url)
      defer { try? handle.close() }
      begin = try handle.read(upToCount: RecordingHeader.beginning.utf8.count) ?? Data()
    } catch {
      throw .unwritable(url, error)
    }
    if !RecordingHeader.beginning.utf8.starts(with: begin) { throw .notReplaceable(url, "is no recording") }
  }
}

extension RecordingError {
  fileprivate static func notReplaceable(_ url: URL, _ reason: String) -> RecordingError {
    RecordingError(
      .unwritable, "\(url.path) \(reason), and is left as it is; give the recording the name of a file of its own.")
  }
}
