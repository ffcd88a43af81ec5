import Foundation
import MillraceEntries

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file, and the one before it under the same name with `.1` behind.
///
/// It is locked from its beginning to its end, so that another recorder, in this process or in another one, leaves it alone.
/// Nothing is moved or removed that is not a file with a recording, or an empty one.
struct RecordingFile: RecordingSink {
  private let url: URL

  /// Open and locked.
  private var handle: FileHandle?

  /// Whether there is more in it than its header.
  private var hasEntries = false

  init(_ url: URL) {
    self.url = url
  }

  mutating func begin(_ header: Data) throws(RecordingError) {
    // At once, and not when the first file is full.
    if handle == nil { try checkKept() }
    // The file may have been moved away or replaced.
    let isOwn = handle?.isStill(at: url) ?? false
    let found: FileHandle? = if isOwn { nil } else { try holdEarlier() }
    if isOwn {
      try setAside(hasEntries: hasEntries)
    } else if let found {
      try setAside(hasEntries: Self.hasEntries(found, at: url))
    }
    let new = try create()
    // Only now, so that no other recorder takes the place meanwhile.
    try? found?.close()
    close()
    handle = new
    hasEntries = false
    try write(header, to: new)
  }

  mutating func write(_ lines: Data) throws(RecordingError) {
    guard let handle else { return }
    hasEntries = true
    try write(lines, to: handle)
  }

  mutating func close() {
    try? handle?.close()  // All was written; no caller is left to report to.
    handle = nil
  }

  var loss: RecordingError? {
    guard let handle, !handle.isStill(at: url) else { return nil }
    return .moved(url)
  }

  private func write(_ data: Data, to handle: FileHandle) throws(RecordingError) {
    do {
      try handle.write(contentsOf: data)
    } catch {
      throw .unwritable(url, error)
    }
  }

  private func create() throws(RecordingError) -> FileHandle {
    let new: FileHandle
    do {
      new = try FileHandle(creating: url)
    } catch {
      // It was not there a moment ago.
      if (error as NSError).code == Int(EEXIST) { throw .inUse(url) }
      throw .unwritable(url, error)
    }
    guard new.lock() else { throw .inUse(url) }
    return new
  }

  // MARK: The file before

  /// The present file, locked, if it may be replaced; nil if there is none.
  private func holdEarlier() throws(RecordingError) -> FileHandle? {
    guard Self.exists(url) else { return nil }
    let earlier = try Self.replaceable(url)
    guard earlier.lock(), earlier.isStill(at: url) else { throw .inUse(url) }
    return earlier
  }

  /// Keeps what is there with `.1` behind, in place of what is kept there; a file in which nothing is recorded goes.
  private func setAside(hasEntries: Bool) throws(RecordingError) {
    guard hasEntries else {
      if unlink(url.path) != 0 { throw .unwritable(url, Self.lastError) }
      return
    }
    try checkKept()
    // It takes the place of what is there in one step.
    if rename(url.path, kept.path) != 0 { throw .unwritable(url, Self.lastError) }
  }

  private var kept: URL { url.appendingPathExtension("1") }

  /// Refuses a path at which something exists, unless it may be replaced and no other recorder writes to it.
  private func checkKept() throws(RecordingError) {
    guard Self.exists(kept) else { return }
    let earlier = try Self.replaceable(kept)
    // The own file, if it was moved there.
    if let handle, handle.isStill(at: kept) { return }
    guard earlier.lock() else { throw .inUse(kept) }
  }

  private static func hasEntries(_ handle: FileHandle, at url: URL) throws(RecordingError) -> Bool {
    do {
      try handle.seek(toOffset: 0)
      var lines = LineReader { try handle.read(upToCount: LineReader.chunkSize) }
      _ = try lines.next()
      return try !lines.beginning(1).isEmpty
    } catch {
      throw .unwritable(url, error)
    }
  }

  /// Opens what may be replaced; says no where something else would be lost than a recording.
  private static func replaceable(_ url: URL) throws(RecordingError) -> FileHandle {
    try checkOrdinary(url)
    let handle: FileHandle
    let begin: Data
    do {
      handle = try FileHandle(existing: url)
      begin = try handle.read(upToCount: RecordingHeader.beginning.utf8.count) ?? Data()
    } catch {
      throw .unwritable(url, error)
    }
    if !RecordingHeader.beginning.utf8.starts(with: begin) { throw .notReplaceable(url, "is no recording") }
    return handle
  }

  /// Refuses a folder, a device and the like.
  static func checkOrdinary(_ url: URL) throws(RecordingError) {
    var status = stat()
    guard lstat(url.path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notReplaceable(url, "is no ordinary file") }
  }

  /// Refuses a file that a recorder writes to.
  static func checkFree(_ url: URL) throws(RecordingError) {
    guard let handle = try? FileHandle(existing: url) else { return }
    // Shared with others who ask.
    guard handle.lock(LOCK_SH) else { throw .inUse(url) }
  }

  private static func exists(_ url: URL) -> Bool {
    var status = stat()
    return lstat(url.path, &status) == 0
  }

  fileprivate static var lastError: NSError { NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
}

extension FileHandle {
  /// Opens a new file, which only its owner may read.
  convenience init(creating url: URL) throws {
    try self.init(opening: url, O_WRONLY | O_CREAT | O_EXCL)
  }

  /// Opens a file to read and to lock it; on a network a lock is for writers.
  fileprivate convenience init(existing url: URL) throws {
    try self.init(opening: url, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
  }

  private convenience init(opening url: URL, _ flags: Int32) throws {
    let descriptor = open(url.path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw RecordingFile.lastError }
    self.init(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Takes the file for this process until it is closed; false if another recorder has it.
  ///
  /// Where the file system knows no locks, no recorder has it.
  fileprivate func lock(_ kind: Int32 = LOCK_EX) -> Bool {
    flock(fileDescriptor, kind | LOCK_NB) == 0 || errno != EWOULDBLOCK
  }

  /// Whether the file is still in its place.
  fileprivate func isStill(at url: URL) -> Bool {
    var (own, there) = (stat(), stat())
    guard fstat(fileDescriptor, &own) == 0, lstat(url.path, &there) == 0 else { return false }
    return own.st_ino == there.st_ino && own.st_dev == there.st_dev
  }
}

extension RecordingError {
  fileprivate static func inUse(_ url: URL) -> RecordingError {
    RecordingError(
      .unwritable,
      """
      \(url.path.quoted) is being written by another recorder, in this process or in another one, and is left to that; give each \
      recorder a file of its own.
      """)
  }

  fileprivate static func moved(_ url: URL) -> RecordingError {
    RecordingError(
      .moved,
      """
      \(url.path.quoted) was moved or removed while a recording was written to it; the recording continues in a new file of that name \
      with the next commit.
      """)
  }

  fileprivate static func notReplaceable(_ url: URL, _ reason: String) -> RecordingError {
    RecordingError(
      .unwritable,
      "\(url.path.quoted) \(reason), and is left as it is; give the recording the name of a file of its own.")
  }
}
