#if Postgres
  import Millrace
  import MillraceJournal
  import MillracePostgresServer
  import MillraceTesting
  import Testing

  @testable import MillracePostgres

  @Suite("Leases that a journal keeps", .timeLimit(.minutes(2)))
  struct KeptLeasesTests {
    private let first = JournalMember.test(1)
    private let start = ContinuousClock.now

    @Test("A lease is renewed in the place of a late task, up to six leases after its last call")
    func silence() {
      var leases = KeptLeases()
      #expect(leases.pause(at: start) == nil && leases.takeDue(at: start) == [])
      leases.didRenew(first.id, for: .seconds(8), at: start)
      #expect(leases.pause(at: start + .seconds(1)) == .seconds(2))
      #expect(leases.takeDue(at: start + .seconds(3) - .nanoseconds(1)) == [])
      for number in 1...15 {
        let now = start + .seconds(3 * number)
        #expect(leases.takeDue(at: now) == [.renew(first.id, .seconds(8))], "\(number)")
        #expect(leases.takeDue(at: now) == [] && leases.pause(at: now) == .seconds(3))
      }
      #expect(leases.takeDue(at: start + .seconds(48)) == [.giveUp(first.id, after: .seconds(48))])
      #expect(leases.pause(at: start) == nil)
    }

    @Test("A call is a sign of life, also one that waits; a renewal by a task postpones the next one")
    func signs() {
      var leases = KeptLeases()
      leases.didRenew(first.id, for: .seconds(8), at: start)
      leases.didRenew(first.id, for: .seconds(8), at: start + .seconds(2))
      #expect(leases.takeDue(at: start + .seconds(5) - .nanoseconds(1)) == [])
      for number in 0...14 { _ = leases.takeDue(at: start + .seconds(5 + 3 * number)) }
      leases.noteSign(first.id, at: start + .seconds(49))
      for number in 0...15 {
        #expect(leases.takeDue(at: start + .seconds(50 + 3 * number)) == [.renew(first.id, .seconds(8))], "\(number)")
      }
      #expect(leases.takeDue(at: start + .seconds(98)) == [.giveUp(first.id, after: .seconds(48))])
    }

    @Test("A process that was stopped for longer than six leases renews, and its silence counts from then")
    func stoppedProcess() {
      var leases = KeptLeases()
      leases.didRenew(first.id, for: .seconds(8), at: start)
      let later = start + .seconds(1_000)
      for number in 0...15 {
        #expect(leases.takeDue(at: later + .seconds(3 * number)) == [.renew(first.id, .seconds(8))], "\(number)")
      }
      #expect(leases.takeDue(at: later + .seconds(48)) == [.giveUp(first.id, after: .seconds(48))])
    }

    @Test("A journal that is late by less than a lease still counts the silence before")
    func lateThread() {
      var leases = KeptLeases()
      leases.didRenew(first.id, for: .seconds(8), at: start)
      for number in 1...14 { _ = leases.takeDue(at: start + .seconds(3 * number)) }
      #expect(leases.takeDue(at: start + .seconds(53) - .nanoseconds(1)) == [.giveUp(first.id, after: .seconds(48))])
    }

    @Test("A member that has left, and one whose lease has no time, are not renewed")
    func ended() {
      var leases = KeptLeases()
      leases.didRenew(first.id, for: .seconds(8), at: start)
      leases.didRenew(first.id, for: .zero, at: start)
      #expect(leases.pause(at: start) == nil)
      leases.didRenew(first.id, for: .seconds(8), at: start)
      leases.remove(first.id)
      leases.noteSign(first.id, at: start)
      #expect(leases.pause(at: start) == nil)
    }

    @Test(
      "A journal renews the row of a member, gives up a silent one with an incident, and forgets one whose lease has ended"
    )
    func rows() async throws {
      let fixture = PostgresFixture()
      let journal = try await fixture.journal()
      let (address, plain) = (
        try await PostgresServer.shared.value.address, try PlainPostgres(try await PostgresServer.shared.value)
      )
      let incidents = Recorder<Incident>()
      var options = PostgresOptions()
      options.schema = fixture.schema
      options.report = { incidents.record($0) }
      let tables = try PostgresTables(fixture.schema)
      let watch = ServerWatch(tables, options)
      let keeper = LeaseKeeper(tables, watch, options)
      var link = ServerLink(try PostgresAddress(address), deadline: .seconds(20), watch)
      func seconds() throws -> [String] {
        try plain.run(
          "select round(extract(epoch from lease_until - clock_timestamp()) / 100)::text from \(fixture.schema).journal_member"
        )
      }
      func set(_ seconds: Int) throws {
        try plain.run(
          "update \(fixture.schema).journal_member set lease_until = clock_timestamp() + \(seconds) * interval '1 second'"
        )
      }
      _ = try keeper.join(first, .seconds(800), on: &link)
      try set(100)
      keeper.performDuties(at: .now + .seconds(290), on: &link)
      #expect(try seconds() == ["1"])
      keeper.performDuties(at: .now + .seconds(310), on: &link)
      #expect(try seconds() == ["8"])
      for number in 2...15 { keeper.performDuties(at: .now + .seconds(310 * number), on: &link) }
      try set(100)
      keeper.performDuties(at: .now + .seconds(4_960), on: &link)
      #expect(try seconds() == ["1"])
      #expect(incidents.recorded.map(\.kind) == [.unresponsiveProcess])
      #expect(incidents.recorded[0].description.contains("has not asked for its lease for 4800.0 seconds"))
      // It goes on with the next call, unless its lease has ended.
      #expect(try keeper.renew(first.id, .seconds(800), on: &link))
      #expect(try seconds() == ["8"] && keeper.pause != nil)
      try set(-1)
      keeper.performDuties(at: .now + .seconds(310), on: &link)
      #expect(keeper.pause == nil)
      #expect(try !keeper.renew(first.id, .seconds(800), on: &link))
      try keeper.leave(first.id, on: &link)
      #expect(try seconds() == [])
      await journal.close()
    }

    @Test("K5: A lease is renewed while a locked table of snapshots holds up the thread of the other calls")
    func lockedTable() async throws {
      let fixture = PostgresFixture()
      let journal = try await fixture.journal()
      try await journal.join(first, lease: .seconds(600))
      #expect(await journal.append([JournalBatch(1, "1")], to: "a", after: .start).stored == 1)
      let plain = try PlainPostgres(try await PostgresServer.shared.value)
      try plain.run("begin")
      try plain.run("lock table \(fixture.schema).journal_snapshot in access exclusive mode")
      let ended = Recorder<Bool>()
      // It is in the queue when this returns, and takes two seconds.
      let storing = Task.immediate {
        let snapshot = JournalSnapshot(sequence: 1, revision: 1, payload: [1], schemaVersion: 1)
        let error = try await failure { try await journal.store(snapshot, of: "a", truncatingBefore: nil) }
        ended.record(error.isTransient)
      }
      #expect(try await journal.renew(first.id, lease: .seconds(600)))
      #expect(ended.recorded == [])
      try await storing.value
      #expect(ended.recorded == [true])
      try plain.run("commit")
      await journal.close()
    }

    @Test("A journal renews leases by itself, and gives up a process whose tasks are silent")
    func hungProcess() async throws {
      let incidents = Recorder<Incident>()
      let journal = try await PostgresFixture().journal { $0.report = { incidents.record($0) } }
      try await journal.join(first, lease: .milliseconds(500))
      #expect(try await incidents.next().kind == .unresponsiveProcess)
      await journal.close()
    }
  }
#endif
