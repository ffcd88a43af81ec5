#if Postgres
  import Foundation
  import Millrace
  import MillraceJournal
  import MillracePostgresServer
  import MillraceTesting
  import Testing

  @testable import MillracePostgres

  @Suite("Appends to PostgreSQL", .timeLimit(.minutes(5)))
  struct PostgresAppendTests {
    /// The rounds of the race; `.ci/long` has 10,000.
    static let rounds = ProcessInfo.processInfo.environment["MILLRACE_RACES"].flatMap { Int($0) } ?? 500

    @Test(
      "K5: Of an append and a claim at the same time exactly one wins, and the error of the loser names the newcomer",
      arguments: PostgresFixture.paths)
    func race(_ isPooled: Bool) async throws {
      var fixture = PostgresFixture()
      fixture.isPooled = isPooled
      let (old, new) = (try await fixture.journal(), try await fixture.journal())
      var claim = try await old.claim(.of("orders"), as: JournalEpoch(host: "first", process: 0, time: 0))
      var (last, wins) = (JournalSequence.start, 0)
      for round in 1...Self.rounds {
        async let appended = old.append([.init(UInt64(round), "\(round)", to: "a", after: last)], claim: claim)[0]
        async let claimed = new.claim(.of("orders"), as: JournalEpoch(host: "second", process: round, time: 0))
        let (append, newer) = (await appended, try await claimed)
        #expect(newer.epoch == claim.epoch + 1)
        if append.stored == 1 {
          wins += 1
        } else {
          #expect(append.failure?.code == .conflict && append.failure?.newcomer?.process == round)
        }
        // The newcomer sees what was stored, and appends behind it.
        last = try await new.lastSequence(of: .order("a"))
        #expect(last == append.last)
        let next = await new.append([.init(UInt64(round), "n\(round)", to: "a", after: last)], claim: newer)[0]
        #expect(next.stored == 1)
        // The owner of the next round is the one that lost this one.
        last = next.last
        claim = try await old.claim(.of("orders"), as: JournalEpoch(host: "first", process: 0, time: 0))
      }
      #expect(wins > 0 && wins < Self.rounds)
      let items = try await new.partition("orders", upTo: 1 << 20).items
      #expect(items.map(\.position.number) == Array(1...UInt64(items.count)))
      await old.close()
      await new.close()
    }

    @Test(
      "Of 100 keys at once with one that is stale 99 are stored, and of 85 partitions with one that is fenced 84",
      arguments: PostgresFixture.paths)
    func oneOfMany(_ isPooled: Bool) async throws {
      var fixture = PostgresFixture()
      fixture.isPooled = isPooled
      fixture.partitions = 85
      let journal = try await fixture.journal()
      var claims: [JournalClaim] = []
      for number in 0..<85 {
        claims.append(try await journal.claim(JournalPartition(of: "orders", number: number), as: .now()))
      }
      let names = (0..<1_000).map { "\($0)" }
      func partition(_ name: String) -> Int { JournalPartition(of: "orders", holding: name, among: 85).number }
      let one = names.filter { partition($0) == partition("0") }.prefix(10)
      #expect(one.count == 10)
      let taken = [JournalKeyAppend.init(1, "taken", to: one[0])]
      #expect(await journal.append(taken, claim: claims[partition("0")])[0].stored == 1)
      let results = await journal.append(one.map { .init(2, "x", to: $0) }, claim: claims[partition("0")])
      #expect(results.map(\.stored) == [0] + Array(repeating: 1, count: 9))
      #expect(results[0].failure?.code == .conflict)

      let other = try await fixture.journal()
      _ = try await other.claim(claims[7].partition, as: JournalEpoch(host: "second", process: 2, time: 0))
      let stored = await withTaskGroup(of: (Int, JournalAppend).self) { group in
        for number in 0..<85 {
          guard let name = names.first(where: { partition($0) == number && $0 != one[0] && !one.contains($0) }) else {
            continue
          }
          group.addTask { [claim = claims[number]] in
            (number, await journal.append([.init(3, "y", to: name)], claim: claim)[0])
          }
        }
        return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      #expect(stored.count == 85 && stored.values.filter { $0.stored == 1 }.count == 84)
      #expect(stored[7]?.failure?.code == .conflict && stored[7]?.failure?.newcomer?.process == 2)
      await journal.close()
      await other.close()
    }

    /// Adds calls while another one ends, on the thread of appends, which takes all of them at once then.
    private static func appendTogether(
      _ calls: [(claim: JournalClaim, append: JournalKeyAppend)], to journal: PostgresJournal
    ) async throws -> [JournalAppend] {
      let ended = calls.map { _ in Recorder<JournalAppend>() }
      let waiting = zip(calls, ended).map { call, ended in
        AppendCall(parts: [call.append], claim: call.claim) { ended.record($0[0]) }
      }
      let first = JournalKeyAppend([JournalBatch(1, "1")], to: "first", after: .start)
      journal.appends.add(
        AppendCall(parts: [first], claim: nil) { _ in
          for call in waiting { journal.appends.add(call) }
        })
      var results: [JournalAppend] = []
      for ended in ended { results.append(try await ended.next()) }
      return results
    }

    @Test(
      "K5: An append by an earlier claim of the same process is fenced, also beside one by the newest claim",
      arguments: [true, false])
    func twoClaims(_ isEarlierFirst: Bool) async throws {
      let journal = try await PostgresFixture().journal()
      let earlier = try await journal.claim(.of("orders"), as: JournalEpoch(host: "first", process: 1, time: 0))
      #expect(await journal.append([.init(1, "1", to: "a")], claim: earlier)[0].stored == 1)
      let newest = try await journal.claim(.of("orders"), as: JournalEpoch(host: "second", process: 2, time: 0))
      let calls: [(JournalClaim, JournalKeyAppend)] = [
        (earlier, .init(2, "2", to: "a", after: 1)), (newest, .init(3, "3", to: "b")),
      ]
      let results = try await Self.appendTogether(isEarlierFirst ? calls : calls.reversed(), to: journal)
      let (fenced, stored) = isEarlierFirst ? (results[0], results[1]) : (results[1], results[0])
      #expect(fenced.stored == 0 && fenced.failure?.code == .conflict && fenced.failure?.newcomer?.process == 2)
      #expect(stored.stored == 1)
      #expect(try await journal.texts(.order("a")) == ["1"])
      await journal.close()
    }

    @Test("A key whose rows are damaged fails alone, and the others of its transaction are stored")
    func damagedKey() async throws {
      let fixture = PostgresFixture()
      let journal = try await fixture.journal()
      let claim = try await journal.claim(.of("orders"), as: .now())
      let names = (0..<20).map { "\($0)" }
      #expect(await journal.append(names.map { .init(1, "1", to: $0) }, claim: claim).allSatisfy { $0.stored == 1 })
      // A record stands behind the last one of a key.
      try PlainPostgres(try await PostgresServer.shared.value).run(
        """
        insert into \(fixture.schema).journal_record select key, 2, 1000, partition, writer, batch, kind, version, revision, time, checksum, \
        payload from \(fixture.schema).journal_record where key = (select id from \(fixture.schema).journal_key where name = '7')
        """)
      for round in 0..<2 as Range<UInt64> {
        let appends = names.map { name in
          JournalKeyAppend.init(round + 2, "2", to: name, after: name == "7" ? 1 : JournalSequence(round + 1))
        }
        let results = await journal.append(appends, claim: claim)
        for (name, result) in zip(names, results) {
          #expect(result.stored == (name == "7" ? 0 : 1))
          #expect(result.failure?.code == (name == "7" ? .corrupt : nil))
        }
        #expect(results[7].failure?.sequence == 2)
      }
      await journal.close()
    }

    @Test("Appends of many tasks share transactions, and each key keeps its order")
    func grouped() async throws {
      let fixture = PostgresFixture()
      let journal = try await fixture.journal()
      let plain = try PlainPostgres(try await PostgresServer.shared.value)
      let before = try plain.run("select pg_current_snapshot()::text")
      await withTaskGroup(of: Void.self) { group in
        for key in 0..<200 {
          group.addTask {
            var last = JournalSequence.start
            for number in 1...10 as ClosedRange<UInt64> {
              let result = await journal.append(
                [JournalBatch(number, "\(number)")], to: JournalKey("\(key)"), after: last)
              #expect(result.stored == 1)
              last = result.last
            }
          }
        }
      }
      for key in 0..<200 { #expect(try await journal.texts(JournalKey("\(key)")) == (1...10).map { "\($0)" }) }
      let after = try plain.run("select pg_current_snapshot()::text")
      func number(_ text: [String]) -> Int { text[0].split(separator: ":").first.flatMap { Int($0) } ?? 0 }
      // 2,000 appends of 200 tasks; other tests may run beside it.
      #expect(number(after) - number(before) < 1_000)
      await journal.close()
    }

    @Test("D1: Acknowledged appends and snapshots outlive a crash of a server whose synchronous_commit is off")
    func asynchronousCommits() async throws {
      let server = try await PostgresServer(["synchronous_commit=off", "wal_writer_delay=10s"])
      var fixture = PostgresFixture()
      fixture.server = server
      let journal = try await fixture.journal()
      let claim = try await journal.claim(.of("orders"), as: .now())
      #expect(await journal.append([JournalBatch(1, "1")], to: "a", after: .start).stored == 1)
      #expect(await journal.append([.init(1, "1", to: "a")], claim: claim)[0].stored == 1)
      try await journal.store(JournalSnapshot(sequence: 1, revision: 1, payload: [1]), of: "a", truncatingBefore: .max)
      try await server.perform("crash")
      try await server.perform("start")
      let next = try await fixture.journal()
      #expect(try await next.lastSequence(of: "a") == 1)
      #expect(try await next.snapshot(of: "a")?.payload == [1])
      #expect(try await next.texts(.order("a")) == ["1"])
      #expect(await next.append([.init(2, "2", to: "a", after: 1)], claim: claim)[0].stored == 1)
      await journal.close()
      await next.close()
    }
  }
#endif
