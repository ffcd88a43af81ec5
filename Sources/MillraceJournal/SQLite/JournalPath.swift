#if SQLite
  import Foundation
  import Millrace
  import MillraceEntries

  /// The path of a file, as the bytes that the system has for it: a folder may have a name that is no UTF-8.
  package struct JournalPath: Hashable, Sendable, CustomStringConvertible {
    private let bytes: [UInt8]

    /// The path as it is written.
    init(_ text: String) { bytes = Array(text.utf8) }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The path without symbolic links and without dots, by which a file is claimed.
    ///
    /// Neither the file nor the one at the end of a symbolic link need exist yet: SQLite makes the latter, and puts its other files beside it.
    package init(resolving text: String) throws(JournalError) {
      var path = JournalPath(text)
      while true {
        let name = path.bytes[path.startOfName...]
        guard !name.isEmpty, !path.bytes.contains(0) else {
          throw JournalError(
            .cannotOpen, "The path \(text.quoted) does not end with a file name; give the path of the journal file.")
        }
        let whole = path.resolved
        if let bytes = whole.bytes {
          self.init(bytes: bytes)
          return
        }
        let found = path.folder.resolved
        guard whole.error == ENOENT, var start = found.bytes else {
          throw JournalError(
            .cannotOpen,
            """
            The folder of \(text.quoted) cannot be found (\(Self.text(of: whole.error == ENOENT ? found.error : whole.error))); make it, or \
            name another file.
            """)
        }
        if start.last != UInt8(ascii: "/") { start.append(UInt8(ascii: "/")) }
        let file = JournalPath(bytes: start + name)
        // A chain of links is never longer than the system allows, because the error would be another one then.
        guard let target = file.target else {
          self = file
          return
        }
        path = JournalPath(bytes: target.first == UInt8(ascii: "/") ? target : start + target)
      }
    }

    /// The path as text; bytes that are no UTF-8 are replaced.
    package var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The path as it is written in a sentence.
    var quoted: String { description.quoted }

    /// The path of a file beside it.
    package func appending(_ end: String) -> JournalPath { JournalPath(bytes: bytes + end.utf8) }

    /// The folder of the file.
    private var folder: JournalPath {
      JournalPath(bytes: startOfName == 0 ? [UInt8(ascii: ".")] : Array(bytes[..<startOfName]))
    }

    private var startOfName: Int { bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0 }

    /// Calls a function of C with the path.
    package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
      (bytes + [0]).withUnsafeBufferPointer { bytes in
        bytes.withMemoryRebound(to: CChar.self) { body($0.baseAddress!) }
      }
    }

    /// The reason for which the system opens no file there, in its words; nil if it seems to open one.
    ///
    /// SQLite shows the error number of a later call of its own.
    var obstacle: String? {
      // The limit of open files is looked at with a file that is there.
      let probe = open("/", O_RDONLY | O_CLOEXEC)
      guard probe >= 0 else { return Self.text(of: errno) }
      close(probe)
      for (path, mode) in [(folder, W_OK | X_OK), (self, R_OK | W_OK)] where path.withCString({ access($0, mode) }) != 0
      {
        let error = errno
        if error != ENOENT { return Self.text(of: error) }
      }
      return nil
    }

    /// Makes the file if it is missing, so that only its owner can read it, and returns 0 or the error number.
    ///
    /// SQLite gives the WAL and its index the mode of the file, and makes files that everyone can read.
    func make() -> Int32 {
      // Only a new file is opened here: a process that closes any descriptor of a file loses its locks on it.
      let descriptor = withCString { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
      guard descriptor >= 0 else { return errno == EEXIST ? 0 : errno }
      close(descriptor)
      return 0
    }

    /// Synchronizes the folder, and returns 0 or the error number.
    ///
    /// A file that was made or removed is there or not after a power cut until then, whatever was synchronized in it.
    func syncFolder() -> Int32 {
      let descriptor = folder.withCString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
      guard descriptor >= 0 else { return errno }
      defer { close(descriptor) }
      return fsync(descriptor) == 0 ? 0 : errno
    }

    /// The path that a symbolic link has; nil if the file is none.
    private var target: [UInt8]? {
      withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
        let count = withCString {
          readlink($0, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        return count < 0 ? nil : Array(buffer.prefix(count))
      }
    }

    private var resolved: (bytes: [UInt8]?, error: Int32) {
      withCString { path in
        guard let resolved = realpath(path, nil) else { return (nil, errno) }
        defer { free(resolved) }
        return (Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved))), 0)
      }
    }

    /// The words of the system for an error number.
    static func text(of error: Int32) -> String { String(cString: strerror(error)) }
  }

  /// The files of an open journal, to notice that one was moved, deleted or replaced.
  ///
  /// The connection keeps its descriptors, so it would write on where no other process reads.
  struct FileIdentity {
    private struct File {
      let path: JournalPath
      let device: dev_t
      let inode: ino_t
    }

    private let files: [File]

    /// Notes the files as they are; the connection has opened all of them.
    ///
    /// - Parameters:
    ///   - isAlone: Whether no other connection may be open, so that the index of the WAL is in memory.
    ///   - hasWAL: Whether the file has a WAL.
    init(of file: JournalPath, isAlone: Bool, hasWAL: Bool) throws(JournalError) {
      var files: [File] = []
      for end in [""] + (hasWAL ? ["-wal"] : []) + (hasWAL && !isAlone ? ["-shm"] : []) {
        let path = file.appending(end)
        guard let found = Self.status(path) else { throw .lostFile(path) }
        files.append(File(path: path, device: found.st_dev, inode: found.st_ino))
      }
      self.files = files
    }

    /// Checks that the paths still lead to the same files, and that the first one was not emptied.
    func check() throws(JournalError) {
      for file in files {
        guard let found = Self.status(file.path), found.st_dev == file.device, found.st_ino == file.inode else {
          throw .lostFile(file.path)
        }
        // The WAL is empty behind a checkpoint of another process.
        if file.path == files[0].path, found.st_size == 0 { throw .lostFile(file.path) }
      }
    }

    private static func status(_ path: JournalPath) -> stat? {
      var found = stat()
      return path.withCString { stat($0, &found) } == 0 ? found : nil
    }
  }

  extension JournalError {
    fileprivate static func lostFile(_ path: JournalPath) -> JournalError {
      JournalError(
        .failed,
        """
        \(path.quoted) was moved or deleted, replaced or emptied while the journal was open, so the calls in progress may be lost; end \
        the processes that use it, restore the journal from a copy, and open it again.
        """)
    }
  }

  /// The files that this process has open.
  package final class OpenJournals: Sendable {
    package static let ofProcess = OpenJournals()

    private let files = Lock<Set<JournalPath>>([])

    package init() {}

    /// Takes a file for one journal.
    func claim(_ file: JournalPath) throws(JournalError) {
      guard files.withLock({ $0.insert(file).inserted }) else {
        throw JournalError(
          .inUse,
          "\(file.quoted) is open in this process already; share one journal among the stores, or close it before.")
      }
    }

    func release(_ file: JournalPath) {
      files.withLock { _ = $0.remove(file) }
    }
  }
#endif
