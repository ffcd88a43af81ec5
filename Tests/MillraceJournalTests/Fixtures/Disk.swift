#if SQLite
  import MillraceJournal
  import MillraceVFS
  import Synchronization

  /// A disk in memory, with the options of a journal on it.
  final class Disk: StoredJournalFixture, @unchecked Sendable {
    private static let count = Atomic(0)

    static let file = "journal"
    static let wal = "journal-wal"

    let name: String
    private let disk: OpaquePointer
    private let opened = Mutex<[SQLiteJournal]>([])

    init() {
      name = "disk \(Self.count.add(1, ordering: .relaxed).newValue)"
      // There is memory for it.
      disk = millrace_disk_make(name)!
    }

    /// All journals that were opened here have to be closed.
    deinit {
      millrace_disk_free(disk)
    }

    /// The options of a process: small pages, so that a few records fill many, small parts of snapshots, checkpoints often, and a check of a key
    /// at once.
    func options(_ files: OpenJournals = OpenJournals()) -> SQLiteJournalOptions {
      var options = SQLiteJournalOptions()
      options.system = name
      options.syncFolder = { [self] in millrace_disk_sync_folder(disk) }
      options.pageSize = 512
      options.checkpointPages = 12
      options.keysAtOnce = 1
      options.partBytes = 600
      options.files = files
      return options
    }

    /// Opens the journal as a new process does.
    func open(largestBatch: Int) async throws(JournalError) -> any PartitionedJournal {
      var options = options()
      options.largestBatch = largestBatch
      let journal = try await SQLiteJournal(Self.file, options)
      opened.withLock { $0.append(journal) }
      return journal
    }

    /// Closes each journal that `open` has returned.
    func close() async {
      for journal in opened.withLock({ $0 }) { await journal.close() }
      opened.withLock { $0 = [] }
    }

    func read(_ file: String, _ bytes: inout [UInt8]) { millrace_disk_read(disk, file, &bytes) }

    func damage(_ payload: String) async throws {
      let bytes = Array(payload.utf8)
      var content = [UInt8](repeating: 0, count: size(Self.file))
      read(Self.file, &content)
      for place in content.indices where content[place...].starts(with: bytes) {
        flip(Self.file, bit: (place + bytes.count / 2) * 8 + 2)
      }
    }

    func plan(_ fault: millrace_fault, at operation: Int = 0, seed: UInt64 = 0) {
      millrace_disk_plan(disk, fault, UInt64(operation), seed)
    }

    var operations: Int { Int(millrace_disk_operations(disk)) }
    var syncs: Int { Int(millrace_disk_syncs(disk)) }
    var failedSyncs: Int { Int(millrace_disk_failed_syncs(disk)) }

    /// The number of connections that have the file open.
    var connections: Int { Int(millrace_disk_connections(disk, Self.file)) }

    /// Holds the lock of writers in another process until SQLite has waited this long for it.
    func lock(milliseconds: Int64) { millrace_disk_lock(disk, milliseconds * 1_000) }

    func restart() { millrace_disk_restart(disk) }
    func protect(_ isProtected: Bool) { millrace_disk_protect(disk, isProtected) }
    func size(_ file: String) -> Int { Int(millrace_disk_size(disk, file)) }
    func flip(_ file: String, bit: Int) { millrace_disk_flip(disk, file, UInt64(bit)) }
    func cut(_ file: String, after size: Int) { millrace_disk_cut(disk, file, UInt64(size)) }
    func write(_ file: String, _ bytes: [UInt8]) { millrace_disk_write(disk, file, bytes, UInt64(bytes.count)) }
    func copy(_ other: Disk) { millrace_disk_copy(disk, other.disk) }
  }
#endif
