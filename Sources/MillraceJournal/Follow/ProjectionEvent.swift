public import Millrace

/// A change of a key that a projection follows.
public enum ProjectionEvent<Source: Interactor>: Sendable {
  /// The store of the key has committed a mutation, which has led to the revision.
  ///
  /// The time is the wall time of the commit in milliseconds since 1970; nil if the record has none.
  case committed(JournalKey, Source.Mutation, revision: Int, time: Int64?)

  /// Commits of the key were removed behind a snapshot before the projection has read them; this is the state of the snapshot.
  ///
  /// The next event of the key continues from the revision.
  case missed(JournalKey, Source.State, revision: Int)

  /// A key was erased, of which the journal has only the hash of its name.
  ///
  /// `JournalKey("17", of: "orders").digest` is that of a key that the projection knows. Later events of the key are those of a new store.
  case erased(JournalKeyDigest)
}

/// The stores of many keys that a projection follows.
public struct ProjectionSource<Source: Interactor>: Sendable
where Source.Action: Codable, Source.Mutation: Codable, Source.State: Codable {
  let stores: String
  let journal: any PartitionedJournal
  let schema: StoreSchema<Source>
  let options: JournalOptions

  /// Names the stores.
  ///
  /// - Parameters:
  ///   - stores: The name with which they are opened.
  ///   - journal: The journal with their logs, which may be opened to be read alone.
  ///   - schema: The versions of their mutations and states.
  ///   - options: Their coder, and the time for which an unavailable journal is tried again.
  public init(
    _ stores: String, in journal: any PartitionedJournal, schema: StoreSchema<Source> = StoreSchema(),
    options: JournalOptions = JournalOptions()
  ) {
    self.stores = stores
    self.journal = journal
    self.schema = schema
    self.options = options
  }

  private func log(of key: JournalKey) -> StoreLog<Source> {
    StoreLog(journal: journal, key: key, schema: schema, options: options)
  }

  /// Decodes the mutations of a record, each with the revision to which it has led.
  ///
  /// - Throws: ``JournalError`` with the code ``JournalError/Code/corrupt`` and the sequence if the record cannot be read.
  func commits(_ record: JournalRecord, of key: JournalKey) throws(JournalError) -> [ProjectionEvent<Source>] {
    // Only an entry with mutations leads to a revision.
    guard let revision = record.entry.revision else { return [] }
    let mutations = try log(of: key).payload(EncodedAction.self, of: record).mutations
    // A checksum does not say that the number is possible.
    guard revision >= mutations.count else {
      throw .unreadable(
        key, at: record.sequence, "it leads by \(mutations.count) mutations to the revision \(revision)")
    }
    return mutations.enumerated().map { index, mutation in
      .committed(key, mutation, revision: revision - mutations.count + 1 + index, time: record.time)
    }
  }

  /// Reads the newest snapshot of a key; nil if it has none, because the key was erased meanwhile and the partition tells so later.
  ///
  /// A key that was erased and has begun anew has a snapshot of the initial state.
  ///
  /// - Throws: ``JournalError``.
  func snapshot(
    of key: JournalKey, _ calls: JournalCalls
  ) async throws(JournalError) -> (event: ProjectionEvent<Source>, sequence: JournalSequence)? {
    let found = try await calls.read { [journal] _, _ throws(JournalError) in try await journal.snapshot(of: key) }
    guard let found else { return nil }
    if found.isInitial { return (.erased(key.digest), found.sequence) }
    do {
      let payload = try schema.snapshot(found, options.coder)
      return (.missed(key, payload.state, revision: found.revision), found.sequence)
    } catch {
      throw .unreadableSnapshot(key, found, error.reason)
    }
  }
}
