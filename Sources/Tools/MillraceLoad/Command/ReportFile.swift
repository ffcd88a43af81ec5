import Foundation
import MillraceFlags

/// The file of a page, which keeps its contents until a new page is written whole.
struct ReportFile: Sendable {
  /// A failure to write the file; the description is a sentence with the fix.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The path as the user wrote it, as a sentence shows it.
  let name: String
  /// The file that is written: a symbolic link is kept, and its target is replaced.
  private let path: String
  /// Whether it is a device or a pipe, which is written to and not replaced.
  private let isStream: Bool

  /// Checks that the page can be written later, by a file beside it that is removed again.
  ///
  /// - Throws: ``Failure`` when it cannot be written.
  init(_ path: String) throws(Failure) {
    name = FlagError.quoted(path)
    self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    var status = stat()
    let kind = stat(self.path, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG
    isStream = kind != S_IFREG && kind != S_IFDIR
    guard kind != S_IFDIR else {
      throw Failure(description: "\(name) cannot be written, because it is a folder; name a file in it.")
    }
    guard !isStream else { return }
    let (new, descriptor) = try makeNew()
    close(descriptor)
    unlink(new)
  }

  /// Replaces the file by a page that only its owner may read, in one step.
  ///
  /// - Throws: ``Failure`` when that fails; the file is as it was then.
  func write(_ page: String) throws(Failure) {
    guard !isStream else {
      let descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw failure(errno) }
      defer { close(descriptor) }
      return try write(page, to: descriptor)
    }
    let (new, descriptor) = try makeNew()
    do throws(Failure) {
      defer { close(descriptor) }
      try write(page, to: descriptor)
      guard fsync(descriptor) == 0 else { throw failure(errno) }
    } catch {
      unlink(new)
      throw error
    }
    guard rename(new, path) == 0 else {
      let number = errno
      unlink(new)
      throw failure(number)
    }
  }

  /// Opens a new file beside the one to replace.
  private func makeNew() throws(Failure) -> (path: String, descriptor: Int32) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    let new = folder.appendingPathComponent(".millrace-load-\(UUID().uuidString)").path
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(errno) }
    return (new, descriptor)
  }

  private func write(_ page: String, to descriptor: Int32) throws(Failure) {
    var rest = Array(page.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count == 0 {
        throw failure(EIO)
      } else if errno != EINTR {
        throw failure(errno)
      }
    }
  }

  private func failure(_ number: Int32) -> Failure {
    Failure(
      description:
        "\(name) cannot be written (\(String(cString: strerror(number)))); free space there, or name a file in a folder that can be written."
    )
  }
}
