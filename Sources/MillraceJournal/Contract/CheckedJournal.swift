import MillraceEntries

/// A journal in a storage, whose whole content a command can list, check and copy.
package protocol CheckedJournal: PartitionedJournal {
  /// The number of keys that the storage says it has.
  ///
  /// - Throws: ``JournalError``.
  func keyCount() async throws(JournalError) -> Int

  /// Reads the rows of keys, those of single stores and those of many, in an order that the engine chooses.
  ///
  /// - Parameter row: The row before the first one; nil to begin.
  /// - Returns: Up to 1,000 rows, whether they are damaged or not; none behind the last one.
  /// - Throws: ``JournalError`` if no further row can be read.
  func listedKeys(after row: ListedKey?) async throws(JournalError) -> [ListedKey]

  /// The partitions that processes have claimed, with the newest claims, in the order of the names of their stores.
  ///
  /// - Throws: ``JournalError``.
  func claims() async throws(JournalError) -> [StoredClaim]

  /// Checks what no read of a key or of a partition checks.
  ///
  /// - Returns: The first problems, as sentences without their ends; none if the storage is whole.
  /// - Throws: ``JournalError``.
  func integrityProblems() async throws(JournalError) -> [String]

  /// Reads the ends of logs by one call.
  ///
  /// - Parameter keys: Up to 1,000 keys, all of single stores or all of the same many stores.
  /// - Returns: An end for each key, in the order of the keys; nil for one whose row or last record is not the one that was written.
  /// - Throws: ``JournalError`` if none can be read.
  func ends(of keys: [JournalKey]) async throws(JournalError) -> [LogEnd?]

  /// Reads whole logs by one call.
  ///
  /// - Parameters:
  ///   - keys: Up to 1,000 keys, all of single stores or all of the same many stores.
  ///   - byteCount: The size of payloads behind which no further log is read.
  /// - Returns: The logs that were read. One of which records were removed, or are not those that were written, is left out.
  /// - Throws: ``JournalError`` if none can be read.
  func logs(of keys: [JournalKey], upTo byteCount: Int) async throws(JournalError) -> [JournalKey: [JournalRecord]]

  /// Begins the log of a key behind a record, as if the records up to that one had been removed.
  ///
  /// The key has ``JournalSnapshot/incomplete(through:)`` until another snapshot is stored, so no store opens it before. A key of a partition has the removed
  /// records at the next position.
  ///
  /// - Parameters:
  ///   - key: A key that has had no record.
  ///   - last: The last sequence, from 1.
  ///   - wake: The wake time of a key of a partition.
  ///   - claim: The claim of the key's partition; nil for the key of a single store.
  /// - Throws: ``JournalError``, with ``JournalError/Code/conflict`` if the key has records or was erased.
  func begin(
    _ key: JournalKey, after last: JournalSequence, wake: Int64?, claim: JournalClaim?
  ) async throws(JournalError)
}

/// A journal that processes share, whose members a command can list and remove.
package protocol MemberedJournal: CheckedJournal {
  /// The members of all stores, those whose leases have ended too.
  ///
  /// - Throws: ``JournalError``.
  func listedMembers() async throws(JournalError) -> [ListedMember]

  /// Removes a member whose lease has ended, and releases its partitions.
  ///
  /// - Returns: Whether there was such a member.
  /// - Throws: ``JournalError``.
  func forget(_ member: JournalMember.ID) async throws(JournalError) -> Bool
}

/// A member as a command lists it.
package struct ListedMember: Sendable {
  package let member: JournalMember
  /// What is left of the lease; negative once it has ended.
  package let lease: Duration
  /// The numbers of the partitions of which the member is the last owner, in their order.
  package let partitions: [Int]

  /// Creates a listed member, as an engine does.
  package init(_ member: JournalMember, lease: Duration, partitions: [Int]) {
    (self.member, self.lease, self.partitions) = (member, lease, partitions)
  }
}

/// A row of the table of keys.
package struct ListedKey: Sendable {
  /// The key, or the error of a row that is not the one that was written.
  package let key: Result<JournalKey, JournalError>
  /// The place of the row in the order of the engine: a number, and for rows of one number a name.
  package let number: Int
  package let name: [UInt8]

  /// Creates the name of a row, as an engine does.
  package init(_ key: Result<JournalKey, JournalError>, number: Int, name: [UInt8] = []) {
    self.key = key
    self.number = number
    self.name = name
  }
}

/// The newest claim of a partition.
package struct StoredClaim: Sendable, CustomStringConvertible {
  /// The claim.
  package let claim: JournalClaim
  /// The process that made it; nil if its name cannot be read.
  package let owner: JournalEpoch?
  /// The last position of the partition.
  package let last: JournalPosition
  /// Whether the stores have several partitions.
  private let isOneOfSeveral: Bool

  /// Creates the name of a claim, as an engine does.
  package init(_ claim: JournalClaim, by owner: JournalEpoch?, last: JournalPosition, isOneOfSeveral: Bool) {
    self.claim = claim
    self.owner = owner
    self.last = last
    self.isOneOfSeveral = isOneOfSeveral
  }

  /// The name of the stores, the number of the partition if there are several, the number and the maker of the claim, and the last position.
  package var description: String {
    let partition = isOneOfSeveral ? ", partition \(claim.partition.number)" : ""
    let owner = owner.map { ", by \($0)" } ?? ""
    return "\(claim.partition.stores.shown())\(partition): claim \(claim.epoch)\(owner.shown()), position \(last)"
  }
}
