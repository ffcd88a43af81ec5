import MillraceEntries

/// A change of a `MemoryJournal` in the form of its file.
enum JournalFrame: Sendable {
  /// Records of one batch.
  case records(JournalKey, [JournalRecord])
  /// A snapshot.
  case snapshot(JournalKey, JournalSnapshot)
  /// The beginning of a log whose first records were removed.
  case base(JournalKey, truncated: JournalSequence, chain: UInt64, epoch: (JournalSequence, [UInt8])?)

  /// The bytes: the length of the body, the checksum of that length, and the body, which ends with a checksum of its own.
  ///
  /// A crash leaves a first part of them at most, so a length that is whole and wrong is damage, and no crash.
  var encoded: [UInt8] {
    let body = body
    var frame = ByteWriter()
    frame.add(UInt64(body.count))
    frame.add(Self.checksum(of: frame.bytes))
    return frame.bytes + body
  }

  /// Reads the frames of a file.
  ///
  /// - Returns: The frames, and the number of their bytes; behind them stands the first part of a frame that a crash has cut.
  static func all(in bytes: [UInt8], of file: String) throws(JournalError) -> (frames: [JournalFrame], count: Int) {
    var frames: [JournalFrame] = []
    var position = 0
    while bytes.count - position >= 16 {
      var header = ByteReader(bytes[position..<position + 16])
      guard let count = header.number(), let check = header.number(),
        check == checksum(of: Array(bytes[position..<position + 8]))
      else { throw .damagedFrame(file, at: position) }
      guard UInt64(bytes.count - position - 16) >= count else { break }
      let (start, end) = (position + 16, position + 16 + Int(count))
      guard let frame = JournalFrame(body: bytes[start..<end]) else { throw .damagedFrame(file, at: position) }
      frames.append(frame)
      position = end
    }
    return (frames, position)
  }

  private static func checksum(of bytes: [UInt8]) -> UInt64 {
    var checksum = Checksum()
    checksum.add(bytes: bytes)
    return checksum.value
  }

  private var body: [UInt8] {
    var body = ByteWriter()
    switch self {
    case .records(let key, let records):
      body.add(1)
      body.add(key.name)
      for record in records {
        body.add(record.sequence.number)
        body.add(record.batch.writer)
        body.add(record.batch.number)
        body.add(record.entry)
        body.add(record.checksum)
      }
    case .snapshot(let key, let snapshot):
      body.add(2)
      body.add(key.name)
      body.add(snapshot.sequence.number)
      body.add(UInt64(bitPattern: Int64(snapshot.revision)))
      body.add(UInt64(bitPattern: Int64(snapshot.schemaVersion)))
      body.add(snapshot.payload)
      body.add(snapshot.checksum(of: key))
    case .base(let key, let truncated, let chain, let epoch):
      body.add(3)
      body.add(key.name)
      body.add(truncated.number)
      body.add(chain)
      if let (sequence, payload) = epoch {
        body.add(sequence.number)
        body.add(payload)
      }
      body.add(Self.checksum(of: body.bytes))
    }
    return body.bytes
  }

  private init?(body: ArraySlice<UInt8>) {
    var reader = ByteReader(body)
    guard let kind = reader.number(), let key = reader.text().map(JournalKey.init(_:)) else { return nil }
    switch kind {
    case 1:
      var records: [JournalRecord] = []
      while !reader.isAtEnd {
        guard let sequence = reader.number(), let writer = reader.number(), let batch = reader.number(),
          let entry = reader.entry(), let checksum = reader.number()
        else { return nil }
        records.append(
          JournalRecord(
            entry, sequence: JournalSequence(sequence), batch: JournalBatch.ID(writer: writer, number: batch),
            checksum: checksum))
      }
      self = .records(key, records)
    case 2:
      guard let sequence = reader.number(), let revision = reader.number(), let version = reader.number(),
        let payload = reader.bytes(), let checksum = reader.number()
      else { return nil }
      let snapshot = JournalSnapshot(
        sequence: JournalSequence(sequence), revision: Int(Int64(bitPattern: revision)), payload: payload,
        schemaVersion: Int(Int64(bitPattern: version)))
      guard reader.isAtEnd, checksum == snapshot.checksum(of: key) else { return nil }
      self = .snapshot(key, snapshot)
    case 3:
      guard let truncated = reader.number(), let chain = reader.number() else { return nil }
      var epoch: (JournalSequence, [UInt8])?
      var rest = ByteReader(body.suffix(8))
      guard rest.number() == Self.checksum(of: Array(body.dropLast(8))) else { return nil }
      if !reader.isAt(8) {
        guard let sequence = reader.number(), let payload = reader.bytes() else { return nil }
        epoch = (JournalSequence(sequence), payload)
      }
      self = .base(key, truncated: JournalSequence(truncated), chain: chain, epoch: epoch)
    default: return nil
    }
  }
}

extension JournalError {
  fileprivate static func damagedFrame(_ file: String, at position: Int) -> JournalError {
    JournalError(
      .corrupt,
      """
      \(file) is damaged at byte \(position): its bytes are not those that were written; restore the journal from a copy.
      """)
  }
}
