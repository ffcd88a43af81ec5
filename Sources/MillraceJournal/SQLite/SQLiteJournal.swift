#if SQLite
  import Millrace
  import MillraceEntries

  /// A journal in a file, by SQLite; it needs the trait `SQLite`.
  ///
  /// Many keys share a file. One thread stores everything that waits in one transaction, which is durable (WAL, `synchronous=FULL`) before
  /// any of its calls returns; no call blocks a thread of the caller. Several processes may have a file open, as when one takes over.
  ///
  /// **Failures.** A commit or a sync that fails ends the journal for all its keys (``JournalError/Code/failed``): close it, and open it
  /// again. A write waits 20 milliseconds for a lock of another process, and is ``JournalError/Code/unavailable`` then.
  ///
  /// ```swift
  /// let journal = try await SQLiteJournal("/var/lib/shop/journal")
  /// ```
  public final class SQLiteJournal: Journal {
    /// The largest batch that is stored: 16 MiB unless it was opened with another limit.
    public let largestBatch: Int

    let queue = CallQueue<JournalCall>()
    /// The sequences of changes of the file.
    private let changing = JournalChanges()
    /// The size in bytes of a part of a snapshot, and the largest one of what the row of a snapshot has.
    private let partBytes: Int
    /// Whether the file was opened to be read alone.
    private let isReading: Bool
    private let file: JournalPath
    #if os(Linux)
      /// Notices changes of the file from the first call of ``changes()`` on.
      private let watch = Lock<FileChanges?>(nil)
    #endif

    /// Opens a file, and creates it if it is missing.
    ///
    /// It synchronizes the pages that an earlier process has left after a failed sync, and waits up to five seconds for that while other processes
    /// use the file. The row of a key and its records are checked when they are read. That no key is missing is checked while no call waits,
    /// and before the first call for a key that is not found, which takes about a second for a million keys. Cancellation has no effect.
    ///
    /// - Parameters:
    ///   - path: The path of the file on a local disk; SQLite puts two files beside it, with `-wal` and `-shm` behind the name.
    ///   - largestBatch: The largest batch in bytes.
    /// - Throws: ``JournalError``: ``JournalError/Code/inUse`` if this process has the file open;
    ///   ``JournalError/Code/cannotOpen`` for a folder that is missing or cannot be written; ``JournalError/Code/notAJournal``,
    ///   ``JournalError/Code/otherVersion`` or ``JournalError/Code/corrupt`` for a file that cannot be used; ``JournalError/Code/unavailable``
    ///   if another process keeps the file locked. The file is left as it is then.
    public convenience init(_ path: String, largestBatch: Int = 1 << 24) async throws(JournalError) {
      var options = SQLiteJournalOptions()
      options.largestBatch = largestBatch
      try await self.init(path, options)
    }

    /// Opens a file to read it, beside the process that writes it, or another reader.
    ///
    /// It takes no lock of writers and changes neither the file nor the WAL, and each call sees what is committed then. A call that
    /// writes fails with ``JournalError/Code/readOnly``. This process may have the file open as often as it likes. Cancellation has no effect.
    ///
    /// - Parameter path: The path of the file on a local disk.
    /// - Throws: ``JournalError``, as for a file that is opened to be written; with ``JournalError/Code/cannotOpen`` too if there is no file,
    ///   and with ``JournalError/Code/otherVersion`` if a program of version 1 of the format wrote it.
    public convenience init(reading path: String) async throws(JournalError) {
      var options = SQLiteJournalOptions()
      options.isReading = true
      try await self.init(path, options)
    }

    package init(_ path: String, _ options: SQLiteJournalOptions) async throws(JournalError) {
      largestBatch = options.largestBatch
      partBytes = options.partBytes
      isReading = options.isReading
      // The file systems of tests have no folders.
      let file = options.system == nil ? try JournalPath(resolving: path) : JournalPath(path)
      self.file = file
      if !isReading { try options.files.claim(file) }
      try await JournalThread.start(file, options, queue: queue, changes: changing)
    }

    deinit { queue.close() }

    /// Stores batches, as ``Journal/append(_:to:after:)`` says.
    ///
    /// Cancellation has no effect.
    public func append(
      _ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence
    ) async -> JournalAppend {
      if isReading { return JournalAppend(stored: 0, last: last, failure: .readOnly(file)) }
      return await withCheckedContinuation { continuation in
        queue.add(Self.appending(batches, to: key, after: last) { continuation.resume(returning: $0) })
      }
    }

    /// The call for the thread that appends batches, and gives `finish` the result.
    static func appending(
      _ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence,
      _ finish: @escaping @Sendable (JournalAppend) -> Void
    ) -> JournalCall {
      JournalCall(
        access: .write,
        perform: { tables in
          var none: PartitionRow?
          let result = try append(JournalKeyAppend(batches, to: key, after: last), in: &none, tables)
          return { finish(result) }
        },
        refuse: { finish(JournalAppend(stored: 0, last: last, failure: $0)) })
    }

    /// Stores the batches of one key; the position of its partition moves with them.
    static func append(
      _ part: JournalKeyAppend, in partition: inout PartitionRow?, _ tables: JournalTables
    ) throws -> JournalAppend {
      if partition == nil, part.key.stores != nil {
        return JournalAppend(stored: 0, last: part.last, failure: .otherPartition(part.key, nil))
      }
      var (count, failure) = (part.batches.count, JournalError?.none)
      while true {
        do {
          var moved = partition
          let end = try tables.alone {
            try tables.append(part.batches.prefix(count), to: part.key, after: part.last, in: &moved)
          }
          partition = moved
          return JournalAppend(stored: count, last: end, failure: failure)
        } catch let refused as RefusedBatch {
          // The savepoint has undone all batches, so the batches before the refused one are stored again without it.
          (count, failure) = (refused.index, refused.error)
        }
      }
    }

    /// Reads records, as ``Journal/records(of:after:upTo:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func records(
      of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int
    ) async throws(JournalError) -> JournalPage {
      try await read { try $0.page(of: key, after: sequence, upTo: byteCount) }
    }

    /// Reads the last sequence of a key.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func lastSequence(of key: JournalKey) async throws(JournalError) -> JournalSequence {
      try await read { try $0.row(of: key)?.last ?? .start }
    }

    /// Reads the newest snapshot of a key.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func snapshot(of key: JournalKey) async throws(JournalError) -> JournalSnapshot? {
      guard let found = try await read({ try $0.snapshot(of: key) }) else { return nil }
      // A large one is not summed up by the thread of the file.
      guard found.snapshot.checksum(of: key) == found.checksum else { throw .corruptSnapshot(key) }
      return found.snapshot
    }

    /// Stores a snapshot, as ``Journal/store(_:of:truncatingBefore:keeping:)`` says.
    ///
    /// A large one is stored in parts of 1 MiB, between which other calls have their turn. Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    @discardableResult
    public func store(
      _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?, keeping byteCount: Int
    ) async throws(JournalError) -> JournalSequence {
      let (id, size, whole) = (UInt64.random(in: .min ... .max), partBytes, snapshot.payload)
      let count = max(0, (whole.count - 1) / size)
      // In parts, because that of 100 MB takes 100 ms, in which this thread could do nothing for others.
      var checksum = snapshot.checksumBeforePayload(of: key)
      for number in 0..<count {
        let part = SnapshotPart(
          snapshot: id, sequence: snapshot.sequence, number: number,
          payload: Array(whole[number * size..<(number + 1) * size]))
        part.payload.withUnsafeBytes { checksum.add($0) }
        if try await !write({ try $0.store(part, of: key) }) {
          guard let time else { return .start }
          return try await truncate(key, through: snapshot.sequence, before: time, keeping: byteCount)
        }
      }
      let rest = Array(whole[(count * size)...])
      rest.withUnsafeBytes { checksum.add($0) }
      let end = JournalSnapshot(
        sequence: snapshot.sequence, revision: snapshot.revision, payload: rest,
        schemaVersion: snapshot.schemaVersion)
      let removed = try await write { [checksum = checksum.value] tables in
        try tables.store(end, checksum: checksum, parts: count == 0 ? nil : (id, count), of: key)
        guard let time else { return JournalSequence.start }
        return try tables.truncate(key, through: snapshot.sequence, before: time, keeping: byteCount)
      }
      while try await write({ try $0.removeOtherParts(of: key) }) {}
      return removed
    }

    /// Removes records, as ``Journal/truncate(_:through:before:keeping:)`` says.
    ///
    /// A call also ends behind 16 MiB of payloads. The file keeps its size, and new records use the room. Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    @discardableResult
    public func truncate(
      _ key: JournalKey, through sequence: JournalSequence, before time: Int64, keeping byteCount: Int
    ) async throws(JournalError) -> JournalSequence {
      try await write { try $0.truncate(key, through: sequence, before: time, keeping: byteCount) }
    }

    /// Reads keys, as ``Journal/keys(after:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func keys(after key: JournalKey?) async throws(JournalError) -> [JournalKey] {
      try await read { try $0.keys(after: key) }
    }

    /// Waits for changes, as ``Journal/changes()`` says, also by other processes; it needs one inotify instance of the system.
    ///
    /// Cancellation ends the sequence.
    ///
    /// - Throws: ``JournalError``, with ``JournalError/Code/cannotOpen`` if the system watches no more files.
    public func changes() async throws(JournalError) -> AsyncStream<Void> {
      try await read { _ in }
      #if os(Linux)
        try watch.withLock { [file, changing] watch throws(JournalError) in
          if watch == nil { watch = try FileChanges(file) { [weak changing] in changing?.note() } }
        }
        return changing.sequence()
      #else
        throw JournalError(
          .cannotOpen, "Changes of \(file.quoted) are noticed on Linux only; read the journal from time to time.")
      #endif
    }

    /// Ends the journal, and returns when the file is closed.
    ///
    /// Releasing the journal ends it too, some time later. Cancellation has no effect.
    public func close() async {
      queue.close()
      changing.end()
      await queue.waitForEnd()
    }

    func write<Value: Sendable>(
      _ body: @escaping @Sendable (JournalTables) throws -> Value
    ) async throws(JournalError) -> Value {
      try await call(.write) { tables in try tables.alone { try body(tables) } }
    }

    func read<Value: Sendable>(
      _ body: @escaping @Sendable (JournalTables) throws -> Value
    ) async throws(JournalError) -> Value {
      try await call(.read, body)
    }

    func call<Value: Sendable>(
      _ access: JournalCall.Access, _ body: @escaping @Sendable (JournalTables) throws -> Value
    ) async throws(JournalError) -> Value {
      if isReading && access != .read { throw .readOnly(file) }
      let result: Result<Value, JournalError> = await withCheckedContinuation { continuation in
        queue.add(
          JournalCall(
            access: access,
            perform: { tables in
              let result: Result<Value, JournalError>
              do { result = .success(try body(tables)) } catch let error as JournalError { result = .failure(error) }
              return { continuation.resume(returning: result) }
            },
            refuse: { continuation.resume(returning: .failure($0)) }))
      }
      return try result.get()
    }
  }

  /// The parts of a journal that tests replace.
  package struct SQLiteJournalOptions: Sendable {
    package var largestBatch = 1 << 24
    /// The name of SQLite's interface to the system; nil for the default one.
    package var system: String?
    /// Synchronizes the folder of the file, and returns 0 or the error number; nil for a call of the system.
    package var syncFolder: (@Sendable () -> Int32)?
    /// The size of the pages of a new file.
    package var pageSize = 4096
    /// The number of pages in the WAL after which they are copied into the file.
    package var checkpointPages: Int32 = 250
    /// The number of keys that are checked at once, and when the file is opened.
    package var keysAtOnce = 1_000
    /// The size in bytes of a part of a snapshot.
    package var partBytes = 1 << 18
    /// Whether the file is opened to be read alone.
    package var isReading = false
    /// Whether damage of the file is an error of the calls that meet it only, also of the first keys.
    package var isChecking = false
    /// Whether the file has to be there, and no other process may have it open, neither now nor until it is closed.
    package var isAlone = false
    /// The files that this process has open.
    package var files = OpenJournals.ofProcess

    package init() {}
  }
#endif
