#if SQLite
  /// The prepared statements on the tables of a journal.
  struct JournalStatements {
    let begin, beginReading, commit, mark, keep, undo: SQLiteStatement
    let selectFile, updateFile: SQLiteStatement
    let selectKey, insertKey, updateKey, deleteKey, selectKeys, selectKeysOf: SQLiteStatement
    let insertRecord, selectRecords, deleteRecords: SQLiteStatement
    let selectSnapshot, insertSnapshot, deleteSnapshot: SQLiteStatement
    let insertPart, selectParts, countParts, selectOtherParts, deletePart, deleteParts: SQLiteStatement
    let selectPartition, selectPartitions, insertPartition, updatePartition: SQLiteStatement
    let insertPosition, deletePositions, selectPositions, selectRemovals, selectErasures, selectDue: SQLiteStatement
    let selectErased, insertErased, deleteErased: SQLiteStatement

    init(_ connection: SQLiteConnection) throws {
      func prepare(_ sql: String) throws -> SQLiteStatement { try SQLiteStatement(connection, sql) }
      begin = try prepare("BEGIN IMMEDIATE")
      beginReading = try prepare("BEGIN")
      commit = try prepare("COMMIT")
      mark = try prepare("SAVEPOINT call")
      keep = try prepare("RELEASE call")
      undo = try prepare("ROLLBACK TO call")
      selectFile = try prepare("SELECT \(FileRow.columns) FROM file WHERE id=1")
      updateFile = try prepare("UPDATE file SET keys=?, erased=?, partitions=?, seal=? WHERE id=1")
      selectKey = try prepare("SELECT \(KeyRow.columns) FROM keys WHERE partition=? AND name=?")
      insertKey = try prepare("INSERT INTO keys(\(KeyRow.columns)) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
      updateKey = try prepare(
        """
        UPDATE keys SET id=?3, last=?4, chain=?5, truncated=?6, truncatedChain=?7, epochSequence=?8, epoch=?9, snapshot=?10, \
        snapshotChecksum=?11, wake=?12, removed=?13, seal=?14 WHERE partition=?1 AND name=?2
        """)
      deleteKey = try prepare("DELETE FROM keys WHERE partition=? AND name=?")
      selectKeys = try prepare(
        "SELECT \(KeyRow.columns) FROM keys WHERE (partition, name)>=(?,?) ORDER BY partition, name LIMIT ?")
      selectKeysOf = try prepare(
        "SELECT \(KeyRow.columns) FROM keys WHERE partition=? AND name>=? ORDER BY name LIMIT ?")
      insertRecord = try prepare(
        "INSERT INTO records(key, \(RecordChain.columns)) VALUES(?,?,?,?,?,?,?,?,?,?,?)")
      selectRecords = try prepare(
        "SELECT \(RecordChain.columns) FROM records WHERE key=? AND sequence>=? ORDER BY sequence")
      deleteRecords = try prepare("DELETE FROM records WHERE key=? AND sequence<=?")
      selectSnapshot = try prepare("SELECT sequence, revision, version, parts, payload FROM snapshots WHERE key=?")
      insertSnapshot = try prepare(
        "INSERT OR REPLACE INTO snapshots(key, sequence, revision, version, payload, parts) VALUES(?,?,?,?,?,?)")
      deleteSnapshot = try prepare("DELETE FROM snapshots WHERE key=?")
      insertPart = try prepare("INSERT INTO parts VALUES(?,?,?,?)")
      selectParts = try prepare("SELECT part, payload FROM parts WHERE key=? AND snapshot=? ORDER BY part")
      countParts = try prepare("SELECT count(*) FROM parts WHERE key=? AND snapshot=?")
      selectOtherParts = try prepare("SELECT rowid FROM parts WHERE key=? AND snapshot IS NOT ? LIMIT ?")
      deletePart = try prepare("DELETE FROM parts WHERE rowid=?")
      deleteParts = try prepare("DELETE FROM parts WHERE key=?")
      selectPartition = try prepare("SELECT \(PartitionRow.columns) FROM partitions WHERE stores=? AND number=?")
      insertPartition = try prepare("INSERT INTO partitions(\(PartitionRow.columns)) VALUES(?,?,?,?,?,?,?)")
      updatePartition = try prepare(
        "UPDATE partitions SET stores=?2, number=?3, epoch=?4, owner=?5, position=?6, seal=?7 WHERE id=?1")
      selectPartitions = try prepare("SELECT \(PartitionRow.columns) FROM partitions")
      insertPosition = try prepare("INSERT INTO positions VALUES(?,?,?,?)")
      deletePositions = try prepare(
        """
        DELETE FROM positions WHERE partition=?1 AND position IN \
        (SELECT position FROM records WHERE key=?2 AND sequence<=?3)
        """)
      selectPositions = try prepare(
        """
        SELECT \(RecordChain.columns.split(separator: ", ").map { "r.\($0)" }.joined(separator: ", ")), p.position, p.name, p.sequence, \
        k.truncated, k.truncatedChain, (SELECT chain FROM records WHERE key=k.id AND sequence=p.sequence-1) FROM positions p \
        LEFT JOIN keys k ON k.partition=p.partition AND k.name=p.name LEFT JOIN records r ON r.key=k.id AND r.sequence=p.sequence \
        WHERE p.partition=? AND p.position>? ORDER BY p.position
        """)
      selectRemovals = try prepare(
        "SELECT \(KeyRow.columns) FROM keys WHERE partition=? AND removed>? ORDER BY removed LIMIT ?")
      selectErasures = try prepare(
        "SELECT \(ErasedRow.columns) FROM erased WHERE partition=? AND position>? ORDER BY position LIMIT ?")
      selectDue = try prepare(
        """
        SELECT \(KeyRow.columns) FROM keys WHERE partition=?1 AND wake<?2 AND (wake, name)>(?3, ?4) ORDER BY wake, name LIMIT ?5
        """)
      selectErased = try prepare("SELECT \(ErasedRow.columns) FROM erased WHERE digest=?")
      insertErased = try prepare("INSERT INTO erased(\(ErasedRow.columns)) VALUES(?,?,?,?,?)")
      deleteErased = try prepare("DELETE FROM erased WHERE digest=?")
    }
  }
#endif
