#if Postgres
  import Millrace
  import MillracePostgresServer
  import MillraceTesting
  import Testing

  @testable import MillraceJournal
  @testable import MillracePostgres

  @Suite("PostgreSQL servers that were restored or have changed roles", .timeLimit(.minutes(5)))
  struct RestoredServerTests {
    private static func options(_ reports: Recorder<Incident>) -> PostgresOptions {
      var options = PostgresOptions()
      options.partitions = 4
      options.report = { reports.record($0) }
      return options
    }

    /// A key of each of four partitions.
    private static let names = (0..<4).map { number in
      (0...).lazy.map { "\($0)" }.first { JournalPartition(of: "orders", holding: $0, among: 4).number == number } ?? ""
    }

    private static func partition(_ number: Int) -> JournalPartition { JournalPartition(of: "orders", number: number) }

    /// Appends once the journal has a connection again.
    private static func append(
      _ append: JournalKeyAppend, to journal: PostgresJournal, claim: JournalClaim
    ) async throws -> JournalError? {
      let calls = JournalCalls(
        journal: ClaimedJournal(base: journal, claim: claim), key: append.key, deadline: .seconds(60),
        clock: ContinuousClock())
      do throws(JournalError) {
        try await calls.append(append.batches, after: append.last) { _, _ in }
        return nil
      } catch {
        return error
      }
    }

    @Test(
      "K5: After a restore nothing is stored under a claim whose number another process has, and each loss is reported once"
    )
    func restored() async throws {
      let server = try await PostgresServer()
      let reports = Recorder<Incident>()
      let first = try await PostgresJournal(server.address, options: Self.options(reports))
      var claims: [JournalClaim] = []
      for number in 0..<4 {
        _ = try await first.claim(Self.partition(number), as: JournalEpoch(host: "first", process: 1, time: 0))
      }
      try await server.perform("copy")
      for (number, name) in Self.names.enumerated() {
        let claim = try await first.claim(Self.partition(number), as: JournalEpoch(host: "first", process: 1, time: 0))
        claims.append(claim)
        for round in 1...3 as ClosedRange<UInt64> {
          let append = JournalKeyAppend.init(round, "first \(round)", to: name, after: JournalSequence(round - 1))
          #expect(await first.append([append], claim: claim)[0].stored == 1)
        }
      }
      for command in ["stop", "restore", "start"] { try await server.perform(command) }
      let second = try await PostgresJournal(server.address, options: Self.options(Recorder()))
      for (number, name) in Self.names.enumerated() where number < 3 {
        let claim = try await second.claim(
          Self.partition(number), as: JournalEpoch(host: "second", process: 2, time: 0))
        #expect(claim.epoch == claims[number].epoch && claim.name != claims[number].name)
        // Two records of the first partition, three of the second, and five of the third.
        for round in 1...(number == 2 ? 5 : UInt64(number + 2)) {
          let batch = JournalBatch(round, ["second \(round)"], writer: 2)
          let append = JournalKeyAppend([batch], to: .order(name), after: JournalSequence(round - 1))
          #expect(await second.append([append], claim: claim)[0].stored == 1)
        }
      }
      // The journal compares all ends with its next connection, so the partition without traffic is reported, too.
      for (number, name) in Self.names.enumerated() {
        let append = JournalKeyAppend.init(4, "late", to: name, after: 3)
        let error = try await Self.append(append, to: first, claim: claims[number])
        #expect(error?.code == .lost, "\(String(describing: error))")
      }
      let texts = try await Self.names.asyncMap { try await second.texts(.order($0)) }
      #expect(
        texts == [
          ["second 1", "second 2"], ["second 1", "second 2", "second 3"], (1...5).map { "second \($0)" }, [],
        ])
      let lost = reports.recorded.filter { $0.kind == .lostRecords }
      #expect(lost.count == 4 && Set(lost.map(\.description)).count == 4)
      #expect((lost.first?.error as? JournalError)?.code == .lost)
      let losses = first.losses(of: "orders")
      #expect(losses.count == 4)
      #expect((0..<4).map { losses.newest[$0]?.claim } == claims)
      #expect((0..<4).map { losses.newest[$0]?.found } == [2, 3, 5, 0])
      // The process claims a partition again, and continues from what the server has.
      let claim = try await first.claim(Self.partition(3), as: .now())
      #expect(await first.append([.init(5, "again", to: Self.names[3])], claim: claim)[0].stored == 1)
      #expect(first.losses(of: "orders").count == 4)
      for journal in [first, second] { await journal.close() }
    }

    @Test("D6: A claim after a restore finds a loss that the number of records hides")
    func hiddenLoss() async throws {
      let server = try await PostgresServer()
      let reports = Recorder<Incident>()
      let first = try await PostgresJournal(server.address, options: Self.options(reports))
      let name = Self.names[0]
      let claim = try await first.claim(Self.partition(0), as: .now())
      try await server.perform("copy")
      for round in 1...2 as ClosedRange<UInt64> {
        #expect(
          await first.append([.init(round, "first", to: name, after: JournalSequence(round - 1))], claim: claim)[0]
            .stored == 1)
      }
      for command in ["stop", "restore", "start"] { try await server.perform(command) }
      let second = try await PostgresJournal(server.address, options: Self.options(Recorder()))
      let other = try await second.claim(Self.partition(0), as: .now())
      for round in 1...3 as ClosedRange<UInt64> {
        let batch = JournalBatch(round, ["second"], writer: 2)
        let append = JournalKeyAppend([batch], to: .order(name), after: JournalSequence(round - 1))
        #expect(await second.append([append], claim: other)[0].stored == 1)
      }
      let calls = JournalCalls(journal: first, key: "orders", deadline: .seconds(60), clock: ContinuousClock())
      let newest = try await calls.read { _, _ throws(JournalError) in
        try await first.claim(Self.partition(0), as: .now())
      }
      #expect(newest.epoch == other.epoch + 1)
      #expect(reports.recorded.filter { $0.kind == .lostRecords }.count == 1)
      #expect(first.losses(of: "orders").newest[0]?.found == 3)
      for journal in [first, second] { await journal.close() }
    }

    @Test("D4: After a restore a single store stores nothing behind the records of another writer")
    func singleStore() async throws {
      let server = try await PostgresServer()
      let first = try await PostgresJournal(server.address)
      func epoch(_ writer: UInt64, _ process: Int) -> JournalBatch {
        .epoch(JournalEpoch(host: "host", process: process, time: 0), writer: writer)
      }
      #expect(await first.append([epoch(1, 1), JournalBatch(1, "1")], to: "a", after: .start).stored == 2)
      #expect(await first.append([epoch(1, 1)], to: "b", after: .start).stored == 1)
      try await server.perform("copy")
      #expect(await first.append([JournalBatch(2, "2"), JournalBatch(3, "3")], to: "a", after: 2).stored == 2)
      for command in ["stop", "restore", "start"] { try await server.perform(command) }
      let second = try await PostgresJournal(server.address)
      #expect(await second.append([epoch(2, 2), JournalBatch(1, ["x"], writer: 2)], to: "a", after: 2).stored == 2)
      let calls = JournalCalls(journal: first, key: "a", deadline: .seconds(60), clock: ContinuousClock())
      let error = try await failure { try await calls.append([JournalBatch(4, "late")], after: 4) { _, _ in } }
      #expect(error.code == .lost && error.newcomer?.process == 2, "\(error)")
      #expect(
        error.description.hasPrefix(
          "The log of \"a\" has another record at 4 than the one that was stored there, by process 2 on host, since"))
      #expect(try await second.texts("a").suffix(1) == ["x"])
      // A writer that takes the log over, and one whose last record was removed, continue.
      #expect(await first.append([epoch(3, 3)], to: "a", after: 4).stored == 1)
      try await first.store(JournalSnapshot(sequence: 5, revision: 0, payload: []), of: "a", truncatingBefore: .max)
      #expect(await first.append([JournalBatch(5, ["y"], writer: 3)], to: "a", after: 5).stored == 1)
      #expect(await first.append([JournalBatch(1, "b")], to: "b", after: 1).stored == 1)
      for journal in [first, second] { await journal.close() }
    }

    @Test("A journal leaves a server that has become read-only for the one that takes writes, and reports the change")
    func roleSwap() async throws {
      let server = try await PostgresServer()
      let address = try await server.standby()
      let reports = Recorder<Incident>()
      let journal = try await PostgresJournal(address, options: Self.options(reports))
      let calls = JournalCalls(journal: journal, key: "a", deadline: .seconds(60), clock: ContinuousClock())
      try await calls.append([JournalBatch(1, "1")], after: .start) { _, _ in }
      let member = JournalMember.test(1)
      try await journal.join(member, lease: .seconds(600))
      let plain = try PlainPostgres(server)
      // Waits until the standby has what was stored.
      try plain.run("alter system set synchronous_standby_names = '*'")
      try plain.run("alter system set default_transaction_read_only = on")
      try plain.run("select pg_reload_conf()::text")
      try await server.perform("promote")
      try await calls.append([JournalBatch(2, "2")], after: 1) { _, _ in }
      #expect(
        try await calls.read { journal, key throws(JournalError) in try await journal.lastSequence(of: key) } == 2)
      _ = try await calls.read { _, _ throws(JournalError) in try await journal.renew(member.id, lease: .seconds(600)) }
      #expect(reports.recorded.filter { $0.kind == .changedServer }.count == 1)
      #expect(
        reports.recorded.first?.description.hasPrefix(
          "The PostgreSQL server is on timeline 00000002 and was on 00000001, so a standby has taken over") == true)
      await journal.close()
    }
  }

  extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
      var values: [Value] = []
      for element in self { values.append(try await transform(element)) }
      return values
    }
  }
#endif
