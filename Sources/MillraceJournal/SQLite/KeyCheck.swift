#if SQLite
  /// The check of all rows of the table of keys, after which a key that is not found is known to be a new one.
  ///
  /// Reading a million rows takes about a second, so they are read in parts: the first one when the file is opened, the others while no
  /// call waits, and all that are left before the first answer that says that there is no such key. A row of another key
  /// that is damaged forbids such answers alone; the keys that are found stay in use.
  struct KeyCheck {
    /// The numbers of keys when the check began; a key that is made later has a greater id.
    let file: FileRow
    private var count = 0
    private var last: (partition: Int, name: [UInt8])?
    /// The result, once all rows are read or one is found to be damaged.
    private(set) var result: Result<Void, JournalError>?

    init(_ file: FileRow) { self.file = file }

    /// The place of the first key of the next part.
    var start: (partition: Int, name: String) {
      // No text is between a text and the same with a zero behind it.
      last.map { ($0.partition, String(decoding: $0.name, as: UTF8.self) + "\0") } ?? (0, "")
    }

    /// Takes the next row.
    ///
    /// - Throws: ``JournalError`` for a row that is not the one that was written, and ``OutOfOrder`` for one that no search finds.
    mutating func take(_ row: SQLiteRow) throws {
      let found = try KeyRow(row)
      let name = Array(found.key.name.utf8)
      if let last,
        found.partition < last.partition
          || found.partition == last.partition && !last.name.lexicographicallyPrecedes(name)
      {
        throw OutOfOrder()
      }
      guard found.partition <= file.partitions || found.id > file.keys else { throw OutOfOrder() }
      last = (found.partition, name)
      if found.id <= file.keys { count += 1 }
    }

    /// Ends the check, with the reason for which it fails; nil after the last row.
    mutating func end(because failure: JournalError?, damage: (String) -> JournalError) {
      let missing = count == file.keys - file.erased ? nil : damage("keys are missing")
      result = (failure ?? missing).map { .failure($0) } ?? .success(())
    }

    /// A row that does not stand behind the one before it.
    struct OutOfOrder: Error {}
  }
#endif
