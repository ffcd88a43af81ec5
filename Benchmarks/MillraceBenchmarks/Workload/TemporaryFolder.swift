#if SQLite
  import Foundation
  import Synchronization

  /// A folder for one round, or for all of them.
  ///
  /// `TMPDIR` names the folder that holds it. The end of the process removes the folders that are left.
  struct TemporaryFolder {
    private static let root: URL = {
      let root = FileManager.default.temporaryDirectory.appending(path: "millrace-benchmarks-\(UUID())")
      atexit { try? FileManager.default.removeItem(at: TemporaryFolder.root) }
      return root
    }()

    private static let count = Atomic(0)

    private let url: URL

    init() throws {
      let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
      url = Self.root.appending(path: "\(number)")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// The path of a file in it.
    func path(_ name: String) -> String { url.appending(path: name).path }

    func remove() {
      try? FileManager.default.removeItem(at: url)
    }
  }
#endif
