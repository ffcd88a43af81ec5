public import Foundation
import MillraceEntries

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Recording {
  /// Writes the recording to a file, in place of an earlier file.
  ///
  /// It is written beside the file first, and takes its place once it is on the disk: whatever happens, there is either the old
  /// file or the new one, and all of it. Only its owner may read it. A link stays, and its target is written.
  ///
  /// The values are written as they are; redact them first where they must not leave the process.
  ///
  /// - Throws: ``RecordingError`` when a value cannot be encoded, or the file cannot be written or belongs to a recorder that
  ///   has not ended.
  public func write(to url: URL) throws(RecordingError) {
    let data = try jsonLines()
    let target = url.resolvingSymlinksInPath()
    try RecordingFile.checkOrdinary(target)
    try RecordingFile.checkFree(target)
    let folder = target.deletingLastPathComponent()
    let new = folder.appending(path: ".millrace-\(UUID().uuidString)")
    defer { unlink(new.path) }  // Where it has taken its place there is nothing left.
    do {
      let handle = try FileHandle(creating: new)
      try handle.write(contentsOf: data)
      try handle.synchronize()
      try handle.close()
    } catch {
      throw .unwritable(url, error)
    }
    // A recorder may have begun there meanwhile.
    try RecordingFile.checkFree(target)
    if rename(new.path, target.path) != 0 {
      throw .unwritable(url, NSError(domain: NSPOSIXErrorDomain, code: Int(errno)))
    }
    folder.synchronize()
  }

  /// The recording as the file has it: a line of JSON for the header and for each entry.
  ///
  /// - Throws: ``RecordingError`` when a value cannot be encoded.
  public func jsonLines() throws(RecordingError) -> Data {
    let writer = EntryWriter<I>(redaction: Redaction(), began: header.began)
    var data = try writer.header(header, start)
    for entry in entries { data.append(try writer.line(entry)) }
    return data
  }
}

extension URL {
  /// Syncs the names in a folder to the disk; where that is impossible they are there a little later.
  fileprivate func synchronize() {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}

extension RecordingError {
  static func unwritable(_ url: URL, _ error: any Error) -> RecordingError {
    RecordingError(
      .unwritable,
      "The recording cannot be written to \(url.path.quoted): \(reason(of: error)); free space there, or choose another file."
    )
  }

  /// The sentence of the system, without paths and numbers of errors.
  package static func reason(of error: any Error) -> String {
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    guard cause.domain == NSPOSIXErrorDomain else { return error.localizedDescription }
    return String(cString: strerror(Int32(cause.code)))
  }
}
