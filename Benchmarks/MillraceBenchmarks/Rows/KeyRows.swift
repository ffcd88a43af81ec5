#if SQLite
  import MillraceJournal
  import Synchronization

  /// Files of many keys.
  let keyRows: [Row] = [
    Row(name: "reference/open-1-key") { _ in try await opening(of: PreparedKeys.one) },
    Row(
      name: "journal/open-100000-keys", reference: "reference/open-1-key", target: 8, gate: .otherBuild,
      measure: { try await opening(of: $0 == .quick ? PreparedKeys.few : PreparedKeys.many) }),
    Row(name: "reference/due-of-1000") { _ in try await due(of: PreparedDue.few) },
    Row(
      name: "journal/due-of-1000000", reference: "reference/due-of-1000", target: 6, gate: .otherBuild,
      measure: { try await due(of: $0 == .quick ? PreparedDue.few : PreparedDue.many) }),
    Row(name: "reference/slowest-append") { size in
      try await slowestAppend(beside: 0, count: size == .quick ? 20 : 3_000)
    },
    Row(
      name: "journal/slowest-append-beside-snapshot", reference: "reference/slowest-append", target: 3,
      gate: .severalThreads,
      measure: { try await slowestAppend(beside: $0 == .quick ? 2 << 20 : 100 << 20, count: 0) }),
  ]

  /// Nanoseconds of the reading of the 501 keys of a partition that are due.
  private func due(of keys: PreparedDue) async throws -> Figure {
    let journal = try await SQLiteJournal(try await keys.path.value)
    let rounds = 20
    let figure = try await perItem(rounds) {
      for _ in 0..<rounds {
        let due = try await journal.due(in: PreparedDue.partition, before: 501, after: nil, upTo: 1_000)
        precondition(due.count == 501)
      }
    }
    await journal.close()
    return figure
  }

  /// Nanoseconds of the slowest of some appends to a key, one after the other.
  ///
  /// - Parameters:
  ///   - bytes: The size of the snapshot of another key that is stored meanwhile; 0 for none.
  ///   - count: The number of appends without a snapshot; with one, they end when it is stored.
  private func slowestAppend(beside bytes: Int, count: Int) async throws -> Figure {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let journal = try await SQLiteJournal(folder.path("log"))
    for key in ["large", "small"] as [JournalKey] { _ = await append(1, to: key, in: journal) }
    let isStored = Flag(bytes == 0)
    let snapshot = JournalSnapshot(sequence: 1, revision: 1, payload: [UInt8](repeating: 9, count: bytes))
    let storing = Task {
      if bytes > 0 { try await journal.store(snapshot, of: "large") }
      isStored.value.store(true, ordering: .relaxed)
    }
    var (slowest, number) = (Duration.zero, UInt64(1))
    while !isStored.value.load(ordering: .relaxed) || number <= count {
      number += 1
      slowest = max(slowest, await append(number, to: "small", in: journal))
    }
    try await storing.value
    await journal.close()
    return Figure(value: nanoseconds(slowest))
  }

  private final class Flag: Sendable {
    let value: Atomic<Bool>

    init(_ value: Bool) { self.value = Atomic(value) }
  }

  /// The time of an append of one record.
  private func append(_ number: UInt64, to key: JournalKey, in journal: SQLiteJournal) async -> Duration {
    let entry = JournalEntry(kind: .decided, payload: [UInt8](repeating: 7, count: 60))
    let batch = JournalBatch(id: .init(writer: 1, number: number), entries: [entry])
    return await ContinuousClock().measure {
      let result = await journal.append([batch], to: key, after: JournalSequence(number - 1))
      precondition(result.stored == 1)
    }
  }

  /// A file with keys of many stores, of which 501 are due, which is written once.
  private struct PreparedDue {
    static let few = PreparedDue(1_000)
    static let many = PreparedDue(1_000_000)
    static let partition = JournalPartition(of: "orders", number: 0)

    let path: Task<String, any Error>

    private init(_ count: Int) {
      path = Task { @concurrent in
        let path = try TemporaryFolder().path("journal")
        let journal = try await SQLiteJournal(path)
        let claim = try await journal.claim(Self.partition, as: .now())
        for first in stride(from: 0, to: count, by: 1_000) {
          let appends = (first..<first + 1_000).map { number in
            let due = number % (count / 1_000) == 0 ? number / (count / 1_000) : count
            let batch = JournalBatch(
              id: .init(writer: 1, number: 1), entries: [JournalEntry(kind: .mark, payload: [])],
              wake: due < 501 ? .at(Int64(due)) : number % 2 == 0 ? .at(Int64(1_000 + number)) : .never)
            return JournalKeyAppend([batch], to: JournalKey("order \(number)", of: "orders"), after: .start)
          }
          let results = await journal.append(appends, claim: claim)
          precondition(results.allSatisfy { $0.stored == 1 })
        }
        await journal.close()
        return path
      }
    }
  }

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
