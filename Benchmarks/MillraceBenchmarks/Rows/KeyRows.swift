#if SQLite
  import MillraceJournal

  /// Files of many keys.
  let keyRows: [Row] = [
    Row(name: "reference/open-1-key") { _ in try await opening(of: PreparedKeys.one) },
    Row(
      name: "journal/open-100000-keys", reference: "reference/open-1-key", target: 8, gate: .otherBuild,
      measure: { try await opening(of: $0 == .quick ? PreparedKeys.few : PreparedKeys.many) }),
  ]

  /// Nanoseconds of the opening of a file, the reading of one key, and the closing.
  private func opening(of keys: PreparedKeys) async throws -> Figure {
    let path = try await keys.path.value
    let rounds = 20
    return try await perItem(rounds) {
      for _ in 0..<rounds {
        let journal = try await SQLiteJournal(path)
        let last = try await journal.lastSequence(of: "key 0")
        precondition(last == 1)
        await journal.close()
      }
    }
  }

  /// A file with keys of one record each, which is written once.
  private struct PreparedKeys {
    static let one = PreparedKeys(1)
    static let few = PreparedKeys(1_500)
    static let many = PreparedKeys(100_000)

    let path: Task<String, any Error>

    private init(_ count: Int) {
      path = Task { @concurrent in
        let path = try TemporaryFolder().path("journal")
        let journal = try await SQLiteJournal(path)
        await withTaskGroup { group in
          for first in 0..<min(count, 1_000) {
            group.addTask {
              for number in stride(from: first, to: count, by: 1_000) {
                let entry = JournalEntry(kind: .mark, payload: [])
                let batch = JournalBatch(id: .init(writer: 1, number: 1), entries: [entry])
                let result = await journal.append([batch], to: JournalKey("key \(number)"), after: .start)
                precondition(result.stored == 1)
              }
            }
          }
        }
        await journal.close()
        return path
      }
    }
  }
#else
  /// Files of many keys, which builds with the trait SQLite have.
  let keyRows: [Row] = []
#endif
