import Millrace

extension JournalError {
  /// Whether the claim of the caller has ended: another process has the partition, or the journal does not know what it had acknowledged.
  var isLoss: Bool { code == .conflict || code == .lost }

  /// The error of a call whose claim is not the newest one of its partition.
  ///
  /// - Parameters:
  ///   - claim: The claim of the call.
  ///   - newest: The number of the newest claim.
  ///   - owner: The process that made the newest claim; nil if it is not known.
  package static func fenced(_ claim: JournalClaim, newest: UInt64, by owner: JournalEpoch?) -> JournalError {
    let newcomer = owner.map { "\($0)" } ?? "another process"
    if newest <= claim.epoch {
      let other = newest == claim.epoch ? " (another claim with this number belongs to \(newcomer))" : ""
      return JournalError(
        .lost, newcomer: newest == claim.epoch ? owner : nil,
        """
        The journal does not know claim \(claim.epoch) of \(claim.partition), and had acknowledged it\(other), so what was stored with it is \
        lost; see whether the journal was restored from an older copy, and open the stores again to continue from there.
        """)
    }
    return JournalError(
      .conflict, newcomer: owner,
      "\("\(claim.partition)".capitalizedFirst) belongs to another process: \(newcomer); send to its keys there.")
  }

  package static func lost(_ partition: JournalPartition, position: JournalPosition, last: JournalPosition)
    -> JournalError
  {
    JournalError(
      .lost,
      """
      \("\(partition)".capitalizedFirst) ends at position \(last), and a reader has read to \(position), so the records behind \(last) are lost; \
      see whether the journal was restored from an older copy, and read the partition from its beginning.
      """)
  }

  static func otherRecord(_ partition: JournalPartition, at position: JournalPosition) -> JournalError {
    JournalError(
      .lost,
      """
      \("\(partition)".capitalizedFirst) has another record at position \(position) than a reader has read there, so that record is lost; see \
      whether the journal was restored from an older copy, and read the partition from its beginning.
      """)
  }

  package static func otherPartition(_ key: JournalKey, _ partition: JournalPartition?) -> JournalError {
    let place = partition.map { "does not belong to \($0)" } ?? "is one of many stores, and has no log of its own"
    return JournalError(
      .otherPartition,
      "The key \(key.quoted) \(place); send to it by the stores of its name, or use another key.")
  }

  static func notOwned(_ key: JournalKey) -> JournalError {
    JournalError(
      .conflict,
      "The process gave the partition of \(key.quoted) up while the key was opened; send to the key where its owner answers."
    )
  }

  static func notShared(_ stores: String, _ address: String) -> JournalError {
    JournalError(
      .notShared,
      """
      The stores \(JournalKey(stores).quoted) are to be shared at the address "\(address)", and their journal is one of a single process, or an engine in front of \
      another one that hides that processes can share it; open them in a journal that conforms to SharedJournal, or leave the address out.
      """)
  }

  static func ended(_ stores: String) -> JournalError {
    JournalError(
      .unavailable, "The stores \(JournalKey(stores).quoted) were shut down meanwhile; nothing is to be done.")
  }

  static func noKey(_ key: JournalKey, of type: any Any.Type) -> JournalError {
    let name = String(reflecting: type)
    return JournalError(
      .noKey,
      """
      The text \(key.quoted) does not lead back to itself: '\(name)(text)?.description' is nil or another text, so a key that was stored could not be \
      found again; mend the conformance of \(name) to LosslessStringConvertible.
      """)
  }

  package static func noPartition(_ partition: JournalPartition, count: Int) -> JournalError {
    JournalError(
      .otherPartition,
      "There is no \(partition): the stores have \(count) \(count == 1 ? "partition" : "partitions"), from 0 on; claim one of these."
    )
  }
}

extension String {
  /// The text with a capital letter at its beginning, as a sentence has.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
