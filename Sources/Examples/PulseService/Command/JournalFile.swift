#if SQLite
  import Foundation
  import MillraceFlags
  import MillraceJournal

  /// The file of a journal, which one pulse at a time uses.
  struct JournalFile {
    /// The reason for which a file cannot be locked, as a sentence that says the fix.
    struct Failure: Error, Equatable, CustomStringConvertible {
      let description: String
    }

    /// The path without symbolic links, also to a file that is missing: two names of one file have one lock.
    private let path: JournalPath

    /// - Throws: `JournalError` if the folder of the file cannot be found.
    init(_ path: String) throws {
      self.path = try JournalPath(resolving: path)
    }

    /// Locks the file for as long as the process lives, and opens it.
    ///
    /// - Throws: ``Failure`` or `JournalError`, each a sentence.
    func open() async throws -> SQLiteJournal {
      try lock()
      return try await SQLiteJournal(path.description)
    }

    /// Takes the lock, which the kernel releases when the process ends, however it ends.
    ///
    /// It is a lock on a file of its own, with `-lock` behind the name. SQLite locks the journal itself for each transaction, and lets
    /// processes take turns.
    private func lock() throws(Failure) {
      // It stays open, because the lock ends with the first descriptor of the file that is closed.
      let descriptor = path.appending("-lock").withCString {
        Foundation.open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      }
      guard descriptor >= 0 else { throw notLocked(errno) }
      while true {
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
        if fcntl(descriptor, F_SETLK, &lock) == 0 { return }
        guard errno == EACCES || errno == EAGAIN, fcntl(descriptor, F_GETLK, &lock) == 0 else {
          throw notLocked(errno)
        }
        // The other process may have ended between the two calls.
        if lock.l_type != Int16(F_UNLCK) { throw used(by: lock.l_pid) }
      }
    }

    private func notLocked(_ number: Int32) -> Failure {
      Failure(
        description:
          "\(FlagError.quoted(path.description)) cannot be locked (\(String(cString: strerror(number)))); name a file in a folder that can be "
          + "written to, on a local disk.")
    }

    private func used(by process: pid_t) -> Failure {
      // A process of another container has no number here.
      let owner = process > 0 ? "process \(process)" : "a process in another container"
      return Failure(
        description:
          "\(FlagError.quoted(path.description)) is the journal of another pulse, \(owner); end that one, or name another file."
      )
    }
  }
#endif
