#if SQLite
  import MillraceSQLite

  /// The partitions of many stores: each name has one in a file.
  extension JournalTables {
    /// The number of partitions of many stores with one name.
    static let partitionCount = 1

    /// The row of a partition; nil if no process has claimed it.
    func partition(_ partition: JournalPartition) throws -> PartitionRow? {
      var found: PartitionRow?
      try statements.selectPartition.run([.text(partition.stores), SQLiteValue(partition.number)]) {
        found = try PartitionRow($0)
        return false
      }
      if found == nil {
        // A partition that is missing, has another name or is not in the index would begin anew.
        var all: [JournalPartition] = []
        try statements.selectPartitions.run {
          all.append(try PartitionRow($0).partition)
          return true
        }
        guard try file().partitions == all.count, !all.contains(partition) else {
          throw JournalError.damaged(path, "partitions are missing")
        }
      }
      return found
    }

    func claim(_ partition: JournalPartition, as owner: [UInt8]) throws -> JournalClaim {
      guard 0..<Self.partitionCount ~= partition.number else {
        throw JournalError.noPartition(partition, count: Self.partitionCount)
      }
      let found = try self.partition(partition)
      var file = try file()
      var row = found ?? PartitionRow(partition, id: file.partitions + 1)
      row.epoch += 1
      row.owner = owner
      if found == nil {
        try statements.insertPartition.run(row.values)
        file.partitions = row.id
        try write(file)
      } else {
        try write(row)
      }
      return JournalClaim(partition, epoch: row.epoch)
    }

    func write(_ row: PartitionRow) throws { try statements.updatePartition.run(row.values) }

    /// The row of the partition of a claim.
    ///
    /// - Throws: ``JournalError`` if the claim is not the newest one.
    func partition(of claim: JournalClaim) throws -> PartitionRow {
      let row = try partition(claim.partition)
      guard let row, row.epoch == claim.epoch, claim.name == 0 else {
        throw JournalError.fenced(claim, newest: row?.epoch ?? 0, by: row?.newcomer)
      }
      return row
    }

    /// Checks that a key belongs to a partition.
    func check(_ key: JournalKey, isIn partition: JournalPartition) throws {
      guard let stores = key.stores,
        JournalPartition(of: stores, holding: key.name, among: Self.partitionCount) == partition
      else { throw JournalError.otherPartition(key, partition) }
    }

    // MARK: Reading

    func due(
      in partition: JournalPartition, before time: Int64, after due: JournalDue?, upTo count: Int
    ) throws -> [JournalDue] {
      guard let row = try self.partition(partition) else { return [] }
      var keys: [JournalDue] = []
      let place: [SQLiteValue] = [.number(due?.wake ?? -1), .text(due?.key.name ?? "")]
      try statements.selectDue.run([SQLiteValue(row.id), .number(time)] + place + [SQLiteValue(max(count, 0))]) {
        let found = try KeyRow($0, of: partition.stores)
        keys.append(JournalDue(found.key, wake: found.wake ?? 0))
        return true
      }
      return keys
    }

    func keys(of stores: String, prefix: String, after name: String?) throws -> [JournalKey] {
      guard let row = try partition(JournalPartition(of: stores, number: 0)) else { return [] }
      let next = name.map { "\($0)\0" } ?? ""
      let start = next.utf8.lexicographicallyPrecedes(prefix.utf8) ? prefix : next
      return Array(
        try keys(in: row.id, of: stores, from: start).prefix { $0.name.utf8.starts(with: prefix.utf8) })
    }

    func page(
      of partition: JournalPartition, after position: JournalPosition, upTo byteCount: Int
    ) throws -> JournalPartitionPage {
      guard let row = try self.partition(partition) else {
        guard position == .start else { throw JournalError.lost(partition, position: position, last: .start) }
        return JournalPartitionPage(items: [], position: .start, last: .start)
      }
      guard position <= row.position else {
        throw JournalError.lost(partition, position: position, last: row.position)
      }
      var reader = PartitionReader(row, after: position, upTo: byteCount)
      let place = [SQLiteValue(row.id), SQLiteValue(position.number)]
      try statements.selectPositions.run(place) { try reader.takeRecord($0) }
      reader.endPart()
      try statements.selectRemovals.run(place + [SQLiteValue(largestPage)]) { try reader.takeRemoval($0) }
      reader.endPart()
      try statements.selectErasures.run(place + [SQLiteValue(largestPage)]) { try reader.takeErasure($0, path) }
      reader.endPart()
      var previous: JournalRecord.ID?
      try statements.selectPosition.run(place) { row in
        previous = JournalRecord.ID(
          batch: .init(writer: row.number(0), number: row.number(1)), sequence: JournalSequence(row.number(2)))
        return false
      }
      return reader.page(previous)
    }

    // MARK: Beginning

    /// Begins the log of a key behind a record.
    ///
    /// - Parameter partition: The partition of the key; nil for a single store.
    func begin(_ key: JournalKey, after last: JournalSequence, wake: Int64?, in partition: PartitionRow?) throws {
      if let found = try row(of: key, in: partition?.id ?? 0) {
        throw JournalError.conflict(key, expected: .start, last: found.last, newcomer: nil)
      }
      var (partition, row) = (partition, try newRow(key, in: partition?.id ?? 0))
      if let position = partition?.position { partition?.position = position.next }
      let snapshot = JournalSnapshot.incomplete(through: last)
      (row.last, row.truncated, row.removed, row.wake) = (last, last, partition?.position, wake)
      row.snapshot = (last, snapshot.checksum(of: key))
      try write(row)
      try write(snapshot, of: row, parts: nil)
      if let partition { try write(partition) }
    }

    // MARK: Erasing

    func erasedRow(of key: JournalKey, in partition: Int) throws -> KeyRow? {
      let file = try file()
      guard file.erased > 0 else { return nil }
      var found: KeyRow?
      try statements.selectErased.run([.text(key.digest.description)]) {
        guard let row = ErasedRow($0), row.partition == partition else { throw JournalError.damagedErasures(path) }
        found = KeyRow(key, in: partition, id: file.keys + 1, erased: row.key)
        return false
      }
      return found
    }

    /// Removes everything of a key but the hash of its name.
    ///
    /// - Parameter partition: The partition of the key; nil for a single store.
    func erase(_ key: JournalKey, in partition: PartitionRow?) throws {
      // The check counts the keys that there are.
      try checkAllKeys()
      guard let row = try row(of: key, in: partition?.id ?? 0), row.isStored else { return }
      var partition = partition
      if let position = partition?.position { partition?.position = position.next }
      try remove(upTo: row.last, of: row)
      try statements.deleteSnapshot.run([SQLiteValue(row.id)])
      try statements.deleteParts.run([SQLiteValue(row.id)])
      try statements.deleteKey.run([SQLiteValue(row.partition), .text(key.name)])
      let erased = ErasedKey(last: row.last.advanced(by: 1), position: partition?.position)
      try statements.insertErased.run(ErasedRow(key.digest, in: row.partition, erased).values)
      var file = try file()
      file.erased += 1
      try write(file)
      if let partition { try write(partition) }
    }
  }
#endif
