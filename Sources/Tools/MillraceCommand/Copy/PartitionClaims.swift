import MillraceJournal

/// The claims of the partitions to which keys are copied; each partition is claimed once, with the first key that is written.
actor PartitionClaims {
  private let journal: any PartitionedJournal
  /// The numbers of partitions by the names of stores.
  private var counts: [String: Int] = [:]
  /// Tasks, because another key may ask for a claim that is being made.
  private var claims: [JournalPartition: Task<JournalClaim, any Error>] = [:]

  init(of journal: any PartitionedJournal) {
    self.journal = journal
  }

  /// The claim of a key's partition; nil for the key of a single store.
  func claim(of key: JournalKey) async throws -> JournalClaim? {
    guard let stores = key.stores else { return nil }
    let count: Int
    if let known = counts[stores] {
      count = known
    } else {
      count = try await journal.partitions(of: stores)
      counts[stores] = count
    }
    let partition = JournalPartition(of: stores, holding: key.name, among: count)
    if let claim = claims[partition] { return try await claim.value }
    let claim = Task { [journal] in try await journal.claim(partition, as: .now()) }
    claims[partition] = claim
    return try await claim.value
  }
}
