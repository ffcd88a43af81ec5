public import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Recording {
  /// Writes the recording to a file, in place of what is there.
  ///
  /// The values are written as they are; redact them first where they must not leave the process.
  ///
  /// - Throws: ``RecordingError`` when a value cannot be encoded, or the file cannot be written.
  public func write(to url: URL) throws(RecordingError) {
    let data = try jsonLines()
    do {
      let handle = try FileHandle(creating: url)
      try handle.write(contentsOf: data)
      try handle.close()
    } catch {
      throw .unwritable(url, error)
    }
  }

  /// The recording as the file has it: a line of JSON for the header and for each entry.
  ///
  /// - Throws: ``RecordingError`` when a value cannot be encoded.
  public func jsonLines() throws(RecordingError) -> Data {
    let writer = EntryWriter<Action, Mutation, State>(redaction: Redaction())
    var data = try writer.header(header, start)
    for entry in entries { data.append(try writer.line(entry)) }
    return data
  }
}

extension FileHandle {
  /// Opens an empty file in place of what is there, which only its owner may read.
  convenience init(creating url: URL) throws {
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
    self.init(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}

extension RecordingError {
  static func unwritable(_ url: URL, _ error: any Error) -> RecordingError {
    RecordingError(
      .unwritable,
      "The recording cannot be written to \(url.path): \(reason(of: error)); free space there, or choose another file.")
  }

  /// What the system says, without paths and numbers of errors.
  package static func reason(of error: any Error) -> String {
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    guard cause.domain == NSPOSIXErrorDomain else { return error.localizedDescription }
    return String(cString: strerror(Int32(cause.code)))
  }
}
