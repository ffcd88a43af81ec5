#if SQLite
  import Foundation

  /// A folder for the journal of processes, which goes with this value.
  final class JournalFolder: Sendable {
    private let url = FileManager.default.temporaryDirectory.appending(path: "millrace-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
      try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in it.
    func path(_ name: String = "journal") -> String { url.appending(path: name).path }

    /// Copies the journal as it is on the disk, without the index of its log, which SQLite makes anew as after a crash of the machine.
    func copyJournal() throws -> String {
      for end in ["", "-wal"] {
        try? FileManager.default.removeItem(atPath: path("copy" + end))
        if FileManager.default.fileExists(atPath: path("journal" + end)) {
          try FileManager.default.copyItem(atPath: path("journal" + end), toPath: path("copy" + end))
        }
      }
      try? FileManager.default.removeItem(atPath: path("copy-shm"))
      return path("copy")
    }
  }
#endif
