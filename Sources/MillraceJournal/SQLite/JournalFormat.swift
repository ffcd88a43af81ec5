#if SQLite
  import MillraceEntries

  /// The tables of a journal's file.
  ///
  /// Version 2 has added partitions, wake times, positions and times to version 1, whose records and snapshots are valid as they are.
  enum JournalFormat {
    /// The number that PRAGMA application_id shows for a journal: "Mill" in ASCII.
    static let application = 0x4D69_6C6C
    /// The version of the tables.
    static let version = 2

    /// The tables and indexes of a new file.
    ///
    /// - `file`: one row, with the numbers of keys that were made, of those that were erased, and of partitions.
    /// - `keys`: the end of each log, its snapshot, wake time and last removed position; partition 0 is that of single stores.
    /// - `records`, `positions`: the records of the keys, and their places by the positions in their partition.
    /// - `snapshots`, `parts`: the newest snapshot of a key, and what it has in front of its last 1 MiB.
    /// - `erased`: the hashes of erased keys, and the ends of their logs; one of a partition stays for a while beside the key's new life.
    static let tables = [
      file, keys, records, snapshots, parts, partitions, positions, erased, wakes, removals, erasures,
    ]

    /// The statements that move a file of version 1, in one transaction; none rewrites a record or a snapshot.
    static let moves = [
      "ALTER TABLE file ADD COLUMN \(fileAdditions[0])",
      "ALTER TABLE file ADD COLUMN \(fileAdditions[1])",
      "ALTER TABLE keys RENAME TO earlier",
      keys,
      """
      INSERT INTO keys SELECT 0, name, id, last, chain, truncated, truncatedChain, epochSequence, epoch, snapshot, snapshotChecksum, \
      NULL, NULL, seal FROM earlier ORDER BY name
      """,
      "DROP TABLE earlier",
      "ALTER TABLE records ADD COLUMN \(recordAdditions[0])",
      "ALTER TABLE records ADD COLUMN \(recordAdditions[1])",
      "ALTER TABLE snapshots ADD COLUMN \(snapshotAddition)",
      parts, partitions, positions, erased, wakes, removals, erasures,
    ]

    private static let fileAdditions = ["erased INTEGER NOT NULL DEFAULT 0", "partitions INTEGER NOT NULL DEFAULT 0"]
    private static let recordAdditions = ["time INTEGER", "position INTEGER"]
    private static let snapshotAddition = "parts INTEGER"

    private static let file =
      "CREATE TABLE file(id INTEGER PRIMARY KEY, keys INTEGER NOT NULL, seal INTEGER NOT NULL, \(fileAdditions[0]), \(fileAdditions[1]))"
    private static let keys = """
      CREATE TABLE keys(partition INTEGER NOT NULL, name TEXT NOT NULL, id INTEGER NOT NULL, last INTEGER NOT NULL, \
      chain INTEGER NOT NULL, truncated INTEGER NOT NULL, truncatedChain INTEGER NOT NULL, epochSequence INTEGER NOT NULL, \
      epoch BLOB NOT NULL, snapshot INTEGER, snapshotChecksum INTEGER NOT NULL, wake INTEGER, removed INTEGER, \
      seal INTEGER NOT NULL, PRIMARY KEY(partition, name)) WITHOUT ROWID
      """
    private static let records = """
      CREATE TABLE records(key INTEGER NOT NULL, sequence INTEGER NOT NULL, writer INTEGER NOT NULL, batch INTEGER NOT NULL, \
      kind INTEGER NOT NULL, version INTEGER NOT NULL, revision INTEGER NOT NULL, payload BLOB NOT NULL, chain INTEGER NOT NULL, \
      \(recordAdditions[0]), \(recordAdditions[1]), PRIMARY KEY(key, sequence)) WITHOUT ROWID
      """
    private static let snapshots = """
      CREATE TABLE snapshots(key INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, revision INTEGER NOT NULL, \
      version INTEGER NOT NULL, payload BLOB NOT NULL, \(snapshotAddition))
      """
    private static let parts = """
      CREATE TABLE parts(key INTEGER NOT NULL, snapshot INTEGER NOT NULL, part INTEGER NOT NULL, payload BLOB NOT NULL, \
      PRIMARY KEY(key, snapshot, part))
      """
    private static let partitions = """
      CREATE TABLE partitions(id INTEGER PRIMARY KEY, stores TEXT NOT NULL, number INTEGER NOT NULL, epoch INTEGER NOT NULL, \
      owner BLOB NOT NULL, position INTEGER NOT NULL, seal INTEGER NOT NULL, UNIQUE(stores, number))
      """
    private static let positions = """
      CREATE TABLE positions(partition INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, \
      sequence INTEGER NOT NULL, PRIMARY KEY(partition, position)) WITHOUT ROWID
      """
    private static let erased = """
      CREATE TABLE erased(digest TEXT PRIMARY KEY NOT NULL, partition INTEGER NOT NULL, last INTEGER NOT NULL, position INTEGER, \
      seal INTEGER NOT NULL) WITHOUT ROWID
      """
    private static let wakes = "CREATE INDEX wakes ON keys(partition, wake) WHERE wake IS NOT NULL"
    private static let removals = "CREATE INDEX removals ON keys(partition, removed) WHERE removed IS NOT NULL"
    private static let erasures = "CREATE INDEX erasures ON erased(partition, position) WHERE position IS NOT NULL"
  }

  /// The row of the table `file`.
  struct FileRow {
    /// The number of keys that were made, which is the id of the newest one.
    var keys = 0
    /// The number of these that were erased.
    var erased = 0
    /// The number of partitions, which is the id of the newest one.
    var partitions = 0

    static let columns = "keys, erased, partitions, seal"

    init() {}

    /// Reads a row of these columns; nil if it is not one that was written.
    init?(_ row: SQLiteRow) {
      (keys, erased, partitions) = (row.int(0), row.int(1), row.int(2))
      guard row.number(3) == seal, 0..<Int.max ~= keys, 0...keys ~= erased, 0..<Int.max ~= partitions else {
        return nil
      }
    }

    var values: [SQLiteValue] {
      [SQLiteValue(keys), SQLiteValue(erased), SQLiteValue(partitions), SQLiteValue(seal)]
    }

    /// The checksum of the row, which is that of version 1 where nothing was erased and there is no partition.
    private var seal: UInt64 {
      var checksum = Checksum()
      checksum.add(text: "keys")
      checksum.add(UInt64(bitPattern: Int64(keys)))
      if erased != 0 || partitions != 0 {
        checksum.add(UInt64(bitPattern: Int64(erased)))
        checksum.add(UInt64(bitPattern: Int64(partitions)))
      }
      return checksum.value
    }
  }
#endif
