import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file of a recording until it is finished: beside its place, and locked so that it has one recorder.
///
/// A lock ends with its process, so that a left-over file blocks no recorder. Where the file system knows no
/// locks, no recorder has it.
struct PartialFile: Sendable {
  /// The path of the partial file.
  let path: String
  private let recording: String
  private let handle: FileHandle

  /// The path of a recording's partial file.
  static func path(of recording: String) -> String { recording + ".partial" }

  /// Takes the file for this recorder, and empties it.
  init(of recording: String) throws(FakeRecordingError) {
    self.recording = recording
    path = Self.path(of: recording)
    var handle: FileHandle
    repeat {
      let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else { throw .unwritable(recording) }
      handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { throw .inUse(recording) }
      // Its recorder may have finished, and put it in its place, before it was locked here.
    } while !Self.isStill(handle, at: path)
    guard ftruncate(handle.fileDescriptor, 0) == 0 else { throw .unwritable(recording) }
    self.handle = handle
  }

  private static func isStill(_ handle: FileHandle, at path: String) -> Bool {
    var (own, there) = (stat(), stat())
    guard fstat(handle.fileDescriptor, &own) == 0, lstat(path, &there) == 0 else { return false }
    return own.st_ino == there.st_ino && own.st_dev == there.st_dev
  }

  func write(_ line: Data) throws(FakeRecordingError) {
    do { try handle.write(contentsOf: line) } catch { throw .unwritable(recording) }
  }

  /// Puts it in the place of the recording, and lets it go; that is as it was if this throws.
  func replace() throws(FakeRecordingError) {
    // The lock is released last, so that no other recorder begins with this file meanwhile.
    defer { try? handle.close() }
    do { try handle.synchronize() } catch { throw .unwritable(recording) }
    if rename(path, recording) != 0 { throw .unwritable(recording) }
  }

  /// Takes it away, and lets it go.
  func remove() {
    try? FileManager.default.removeItem(atPath: path)
    try? handle.close()
  }
}

extension FakeRecordingError {
  fileprivate static func unwritable(_ path: String) -> FakeRecordingError {
    FakeRecordingError(
      .inaccessible, path, "a recording cannot be written there; see that its folder exists and may be written to.")
  }

  fileprivate static func inUse(_ path: String) -> FakeRecordingError {
    FakeRecordingError(
      .inUse, path,
      """
      another recorder, in this process or in another one, records to this file; finish that one first, record all calls \
      in it, or give each recorder a path of its own.
      """)
  }
}
