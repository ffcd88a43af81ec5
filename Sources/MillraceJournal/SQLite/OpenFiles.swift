#if SQLite
  import Foundation
  import Millrace

  /// The files that this process has open, and those that have failed in it.
  ///
  /// Linux reports a failed sync once and then forgets the writes that were lost, so a process that opens the file again may read
  /// bytes that are not on the disk. Such a path stays here until the process ends.
  package final class OpenFiles: Sendable {
    package static let ofProcess = OpenFiles()

    private enum Use {
      case open, failed
    }

    private let files = Lock<[String: Use]>([:])

    package init() {}

    /// The path of a file without symbolic links and without dots, by which it is claimed.
    static func resolve(_ path: String) throws(JournalError) -> String {
      let name = (path as NSString).lastPathComponent
      let folder = (path as NSString).deletingLastPathComponent
      guard !name.isEmpty, let folder = real(folder.isEmpty ? "." : folder) else {
        throw JournalError(
          .cannotOpen,
          "The folder of \(path) cannot be found (\(String(cString: strerror(errno)))); make it, or name another file.")
      }
      return real(path) ?? (folder == "/" ? "/\(name)" : "\(folder)/\(name)")
    }

    /// Takes a file for one journal.
    func claim(_ file: String) throws(JournalError) {
      let use = files.withLock { files in
        defer { if files[file] == nil { files[file] = .open } }
        return files[file]
      }
      switch use {
      case nil: return
      case .open:
        throw JournalError(
          .inUse, "\(file) is open in this process already; share one journal among the stores, or close it before.")
      case .failed:
        throw JournalError(
          .inUse,
          """
          \(file) has failed in this process, and the system may show bytes that are not on the disk; start the process again to \
          open it.
          """)
      }
    }

    /// Gives a file back; one that cannot be trusted stays taken.
    func release(_ file: String, isTrusted: Bool) {
      files.withLock { $0[file] = isTrusted ? nil : .failed }
    }

    private static func real(_ path: String) -> String? {
      guard let resolved = realpath(path, nil) else { return nil }
      defer { free(resolved) }
      return String(cString: resolved)
    }
  }
#endif
