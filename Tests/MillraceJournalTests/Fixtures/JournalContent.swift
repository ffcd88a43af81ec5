import MillraceJournal

/// The content of a journal that a reader sees, with up to 1,000 keys of the stores "orders".
struct JournalContent: Equatable {
  var keys: [JournalKey] = []
  var records: [JournalKey: [JournalRecord]] = [:]
  var snapshots: [JournalKey: JournalSnapshot] = [:]

  init(_ journal: any Journal) async throws(JournalError) {
    while true {
      let page = try await journal.keys(after: keys.last)
      if page.isEmpty { break }
      keys += page
    }
    if let journal = journal as? any PartitionedJournal {
      keys += try await journal.keys(of: "orders", prefix: "", after: nil)
    }
    for key in keys {
      snapshots[key] = try await journal.snapshot(of: key)
      records[key] = try await journal.all(key, after: snapshots[key]?.sequence ?? .start)
    }
  }
}
