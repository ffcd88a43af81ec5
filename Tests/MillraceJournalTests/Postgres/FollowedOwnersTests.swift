#if Postgres
  import Foundation
  import Millrace
  import MillracePostgresServer
  import Testing

  @testable import MillraceJournal
  @testable import MillracePostgres

  @Suite("Owners in PostgreSQL that are followed", .timeLimit(.minutes(10)))
  struct FollowedOwnersTests {
    private static let owners = 8
    /// The number of appends of each owner: 100, or MILLRACE_FOLLOWED_APPENDS.
    private static let appends =
      ProcessInfo.processInfo.environment["MILLRACE_FOLLOWED_APPENDS"].flatMap(UInt64.init) ?? 100

    /// Appends a commit to each of five keys of a partition, again and again.
    private static func append(_ fixture: PostgresFixture, to number: Int) async throws -> [String] {
      let journal = try await fixture.journal()
      let partition = JournalPartition(of: "accounts", number: number)
      let claim = try await journal.claim(partition, as: .now())
      let names = (0...).lazy.map { "\($0)" }.filter {
        JournalPartition(of: "accounts", holding: $0, among: owners) == partition
      }
      let keys = Array(names.prefix(5))
      let payload = Array(
        try JSONJournalCoder().encode(
          EntryPayload(head: DecidedHead(results: nil), mutations: [Accounts.Mutation.added(1)])))
      for revision in 1...appends {
        let entry = JournalEntry(kind: .decided, payload: payload, revision: Int(revision))
        let batch = JournalBatch(id: .init(writer: UInt64(number), number: revision), entries: [entry])
        let results = await journal.append(
          keys.map { JournalKeyAppend([batch], to: .account($0), after: JournalSequence(revision - 1)) }, claim: claim)
        for result in results { #expect(result.stored == 1, "\(String(describing: result.failure))") }
      }
      await journal.close()
      return keys
    }

    /// Reads all partitions to their ends, page by page, while owners append, and returns the number of pages with records.
    private static func read(_ journal: PostgresJournal) async throws -> Int {
      var positions = Array(repeating: JournalPosition.start, count: owners)
      var records: [JournalRecord.ID?] = Array(repeating: nil, count: owners)
      let end = JournalPosition(appends * 5)
      var pages = 0
      let changes = try await journal.changes()
      func readOn() async throws {
        for number in 0..<owners {
          let partition = JournalPartition(of: "accounts", number: number)
          var isAtEnd = false
          while !isAtEnd {
            let page = try await journal.records(ofPartition: partition, after: positions[number], upTo: 1 << 16)
            #expect(page.previous == records[number])
            for item in page.items {
              guard case .record(let record, _) = item else { continue }
              #expect(record.position == positions[number].next)
              (positions[number], records[number]) = (positions[number].next, record.id)
            }
            #expect(page.position == positions[number])
            isAtEnd = page.position >= page.last
            pages += page.items.isEmpty ? 0 : 1
          }
        }
      }
      try await readOn()
      if positions.allSatisfy({ $0 == end }) { return pages }
      for await _ in changes {
        try await readOn()
        if positions.allSatisfy({ $0 == end }) { break }
      }
      return pages
    }

    @Test(
      "K6: Of eight owners that append at full load, a reader and a projection get each record once, in order, at every read"
    )
    func owners() async throws {
      var fixture = PostgresFixture()
      fixture.partitions = Self.owners
      let journal = try await fixture.journal()
      let projection = try await Projection.open(
        initial: Ledger.State(), interactor: Ledger(), of: ProjectionSource("accounts", in: journal),
        journal: MemoryJournal(), key: "ledger", action: Ledger.action)
      let reader = try await fixture.journal()
      async let pages = Self.read(reader)
      let keys = try await withThrowingTaskGroup(of: [String].self) { group in
        for number in 0..<Self.owners { group.addTask { [fixture] in try await Self.append(fixture, to: number) } }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(try await pages > Self.owners)
      try await projection.catchUp()
      #expect(projection.failure == nil)
      let accounts = await projection.reader.state.accounts
      #expect(accounts.count == keys.count)
      for key in keys { #expect(accounts[key]?.revision == Int(Self.appends), "\(key)") }
      await projection.shutdown()
      await reader.close()
      await journal.close()
    }
  }
#endif
