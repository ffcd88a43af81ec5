#if SQLite
  /// The statements on the tables of a journal.
  struct JournalStatements {
    let begin, beginReading, commit, mark, keep, undo: SQLiteStatement
    let selectFile, updateFile: SQLiteStatement
    let selectKey, insertKey, updateKey, deleteKey, selectKeys, selectKeysOf: SQLiteStatement
    let insertRecord, selectRecords, selectTimes, selectSizes, deleteRecords: SQLiteStatement
    let selectSnapshot, insertSnapshot, deleteSnapshot: SQLiteStatement
    let insertPart, selectParts, countParts, selectOtherParts, deletePart, deleteParts: SQLiteStatement
    let selectPartition, selectPartitions, insertPartition, updatePartition: SQLiteStatement
    let insertPosition, deletePositions, selectPosition, selectPositions: SQLiteStatement
    let selectRemovals, selectErasures, selectDue: SQLiteStatement
    let selectErased, insertErased, deleteErased: SQLiteStatement

    init(_ connection: SQLiteConnection) {
      func statement(_ sql: String) -> SQLiteStatement { SQLiteStatement(connection, sql) }
      begin = statement("BEGIN IMMEDIATE")
      beginReading = statement("BEGIN")
      commit = statement("COMMIT")
      mark = statement("SAVEPOINT call")
      keep = statement("RELEASE call")
      undo = statement("ROLLBACK TO call")
      selectFile = statement("SELECT \(FileRow.columns) FROM file WHERE id=1")
      updateFile = statement("UPDATE file SET keys=?, erased=?, partitions=?, seal=? WHERE id=1")
      selectKey = statement("SELECT \(KeyRow.columns) FROM keys WHERE partition=? AND name=?")
      insertKey = statement("INSERT INTO keys(\(KeyRow.columns)) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
      updateKey = statement(
        """
        UPDATE keys SET id=?3, last=?4, chain=?5, truncated=?6, truncatedChain=?7, epochSequence=?8, epoch=?9, snapshot=?10, \
        snapshotChecksum=?11, wake=?12, removed=?13, seal=?14 WHERE partition=?1 AND name=?2
        """)
      deleteKey = statement("DELETE FROM keys WHERE partition=? AND name=?")
      selectKeys = statement(
        "SELECT \(KeyRow.columns) FROM keys WHERE (partition, name)>=(?,?) ORDER BY partition, name LIMIT ?")
      selectKeysOf = statement(
        "SELECT \(KeyRow.columns) FROM keys WHERE partition=? AND name>=? ORDER BY name LIMIT ?")
      insertRecord = statement(
        "INSERT INTO records(key, \(RecordChain.columns)) VALUES(?,?,?,?,?,?,?,?,?,?,?)")
      selectRecords = statement(
        "SELECT \(RecordChain.columns) FROM records WHERE key=? AND sequence>=? ORDER BY sequence")
      selectTimes = statement("SELECT sequence, time FROM records WHERE key=? AND sequence<=? ORDER BY sequence")
      selectSizes = statement(
        "SELECT sequence, length(payload) FROM records WHERE key=? AND sequence<=? ORDER BY sequence DESC")
      deleteRecords = statement("DELETE FROM records WHERE key=? AND sequence<=?")
      selectSnapshot = statement("SELECT sequence, revision, version, parts, payload FROM snapshots WHERE key=?")
      insertSnapshot = statement(
        "INSERT OR REPLACE INTO snapshots(key, sequence, revision, version, payload, parts) VALUES(?,?,?,?,?,?)")
      deleteSnapshot = statement("DELETE FROM snapshots WHERE key=?")
      insertPart = statement("INSERT INTO parts VALUES(?,?,?,?)")
      selectParts = statement("SELECT part, payload FROM parts WHERE key=? AND snapshot=? ORDER BY part")
      countParts = statement("SELECT count(*) FROM parts WHERE key=? AND snapshot=?")
      selectOtherParts = statement("SELECT rowid FROM parts WHERE key=? AND snapshot IS NOT ? LIMIT ?")
      deletePart = statement("DELETE FROM parts WHERE rowid=?")
      deleteParts = statement("DELETE FROM parts WHERE key=?")
      selectPartition = statement("SELECT \(PartitionRow.columns) FROM partitions WHERE stores=? AND number=?")
      insertPartition = statement("INSERT INTO partitions(\(PartitionRow.columns)) VALUES(?,?,?,?,?,?,?)")
      updatePartition = statement(
        "UPDATE partitions SET stores=?2, number=?3, epoch=?4, owner=?5, position=?6, seal=?7 WHERE id=?1")
      selectPartitions = statement("SELECT \(PartitionRow.columns) FROM partitions")
      insertPosition = statement("INSERT INTO positions VALUES(?,?,?,?)")
      deletePositions = statement(
        """
        DELETE FROM positions WHERE partition=?1 AND position IN \
        (SELECT position FROM records WHERE key=?2 AND sequence<=?3)
        """)
      selectPosition = statement(
        """
        SELECT r.writer, r.batch, r.sequence FROM positions p JOIN keys k ON k.partition=p.partition AND k.name=p.name \
        JOIN records r ON r.key=k.id AND r.sequence=p.sequence WHERE p.partition=? AND p.position=?
        """)
      selectPositions = statement(
        """
        SELECT \(RecordChain.columns.split(separator: ", ").map { "r.\($0)" }.joined(separator: ", ")), p.position, p.name, p.sequence, \
        k.truncated, k.truncatedChain, (SELECT chain FROM records WHERE key=k.id AND sequence=p.sequence-1) FROM positions p \
        LEFT JOIN keys k ON k.partition=p.partition AND k.name=p.name LEFT JOIN records r ON r.key=k.id AND r.sequence=p.sequence \
        WHERE p.partition=? AND p.position>? ORDER BY p.position
        """)
      selectRemovals = statement(
        "SELECT \(KeyRow.columns) FROM keys WHERE partition=? AND removed>? ORDER BY removed LIMIT ?")
      selectErasures = statement(
        "SELECT \(ErasedRow.columns) FROM erased WHERE partition=? AND position>? ORDER BY position LIMIT ?")
      selectDue = statement(
        """
        SELECT \(KeyRow.columns) FROM keys WHERE partition=?1 AND wake<?2 AND (wake, name)>(?3, ?4) ORDER BY wake, name LIMIT ?5
        """)
      selectErased = statement("SELECT \(ErasedRow.columns) FROM erased WHERE digest=?")
      insertErased = statement("INSERT OR REPLACE INTO erased(\(ErasedRow.columns)) VALUES(?,?,?,?,?)")
      deleteErased = statement("DELETE FROM erased WHERE digest=?")
    }
  }
#endif
