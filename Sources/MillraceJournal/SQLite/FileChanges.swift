#if SQLite && os(Linux)
  import Dispatch
  import Millrace

  #if canImport(Glibc)
    import Glibc
  #else
    import Musl
  #endif

  /// Notices when a process has changed a journal's file.
  ///
  /// The writer sets the time of the file behind each commit. The kernel would tell of the writes to the WAL too, but those come before other connections
  /// see what is committed, and the commit itself is in shared memory, of which the kernel tells nothing.
  final class FileChanges: Sendable {
    // It is used in `init` and `deinit` only, and any thread may.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// Watches a file until it is released.
    ///
    /// - Throws: ``JournalError`` with the code ``JournalError/Code/cannotOpen``.
    init(_ file: JournalPath, _ didChange: @escaping @Sendable () -> Void) throws(JournalError) {
      let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else { throw .unwatched(file, errno) }
      let events = UInt32(IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF)
      guard file.withCString({ inotify_add_watch(descriptor, $0, events) }) >= 0 else {
        let error = errno
        close(descriptor)
        throw .unwatched(file, error)
      }
      source = DispatchSource.makeReadSource(
        fileDescriptor: descriptor, queue: DispatchQueue(label: "millrace.journal.changes"))
      source.setEventHandler {
        // What has changed is read from the journal.
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { bytes in
          while read(descriptor, bytes.baseAddress, bytes.count) > 0 {}
        }
        didChange()
      }
      source.setCancelHandler { close(descriptor) }
      source.resume()
    }

    deinit { source.cancel() }
  }

  extension JournalPath {
    /// Sets the times of the file, which wakes those who watch it.
    func touch() { withCString { _ = utimensat(AT_FDCWD, $0, nil, 0) } }
  }

  extension JournalError {
    fileprivate static func unwatched(_ file: JournalPath, _ error: Int32) -> JournalError {
      let limit = error == EMFILE || error == ENOSPC
      return JournalError(
        .cannotOpen,
        """
        Changes of \(file.quoted) cannot be noticed: \(String(cString: strerror(error)))\
        \(limit ? "; raise fs.inotify.max_user_instances and fs.inotify.max_user_watches, or end other programs that watch files" : "; see that the file is there and can be read").
        """)
    }
  }
#endif
