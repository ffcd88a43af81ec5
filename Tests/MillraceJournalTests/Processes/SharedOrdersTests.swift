#if SQLite && Postgres
  import Foundation
  import MillracePostgresServer
  import MillraceTesting
  import Testing

  /// The example `orders`, of which three processes share one database.
  @Suite("Orders that processes share", .timeLimit(.minutes(10)))
  struct SharedOrdersTests {
    /// `.ci/long` has more.
    private static let rounds = ProcessInfo.processInfo.environment["MILLRACE_TAKEOVERS"].flatMap { Int($0) } ?? 10

    @Test(
      "K5, D2: When one of three processes is killed and one is stopped, the third takes over: nothing acknowledged is lost, nothing is done twice, and the stopped one is fenced"
    )
    func takeOver() async throws {
      let cluster = try await OrdersCluster(lease: 2)
      let processes = try ["first", "second", "third"].map { try cluster.start($0) }
      for process in processes { try await process.settles(members: 3) }
      for process in processes { try await process.handles(20) }
      let before = try cluster.owners()
      #expect(before.count == 256)
      processes[0].send(SIGKILL)
      processes[1].send(SIGSTOP)
      try await processes[2].reads { $0.contains("owns 256 of 256 partitions") }
      try await processes[2].handles(20)
      let after = try cluster.owners()
      for (partition, owner) in before where owner.process != "third" {
        let next = try #require(after[partition])
        #expect(next.epoch > owner.epoch && next.process == "third", "partition \(partition): \(owner), \(next)")
      }
      #expect(before.values.contains { $0.process == "first" } && before.values.contains { $0.process == "second" })
      processes[1].send(SIGCONT)
      try await processes[1].reads { $0.contains("fenced: ") && $0.contains("belongs to another process") }
      try await processes[1].settles(members: 2)
      try await processes[1].handles(5)
      for process in processes.dropFirst() {
        process.send(SIGTERM)
        await process.ends(.exit(0))
      }
      await processes[0].ends(.signal(SIGKILL))
      try cluster.check(processes.flatMap(\.lines))
    }

    @Test(
      "K5, D2: Through kills, stops and cut connections of processes under load nothing acknowledged is lost, and nothing is done twice"
    )
    func disturbances() async throws {
      var random = SeededGenerator(seed: 11)
      let cluster = try await OrdersCluster(lease: 1)
      var (processes, ended, count) = (try (0..<3).map { try cluster.start("\($0)") }, [OrdersProcess](), 3)
      for process in processes { try await process.settles(members: 3) }
      for _ in 0..<Self.rounds {
        let (index, fate) = (Int.random(in: 0..<3, using: &random), Int.random(in: 0..<3, using: &random))
        let (process, others) = (processes[index], [0, 1, 2].filter { $0 != index }.map { processes[$0] })
        switch fate {
        case 0:
          process.send(SIGKILL)
          await process.ends(.signal(SIGKILL))
          for other in others { try await other.settles(members: 2) }
          ended.append(process)
          processes[index] = try cluster.start("\(count)")
          count += 1
          for process in processes { try await process.settles(members: 3) }
        case 1:
          process.send(SIGSTOP)
          for other in others { try await other.settles(members: 2) }
          process.send(SIGCONT)
          for other in others { try await other.settles(members: 3) }
        default: process.cutConnections()
        }
        for process in processes { try await process.handles(3) }
      }
      for process in processes {
        process.send(SIGTERM)
        await process.ends(.exit(0))
      }
      try cluster.check((processes + ended).flatMap(\.lines))
    }

    @Test("K5: A process whose reader has gone ends in order, and gives its partitions up")
    func closedOutput() async throws {
      let cluster = try await OrdersCluster(lease: 2)
      let process = try ChildProcess(
        "orders",
        [
          "--postgres", cluster.server.address, "--schema", cluster.schema, "--folder", cluster.folder.path(), "--name",
          "first",
        ])
      _ = await process.lines(3)
      try process.closeOutput()
      #expect(await process.complaints == "")
      #expect(await process.end == .exit(0))
      let members = try PlainPostgres(cluster.server).run("select count(*)::text from \(cluster.schema).journal_member")
      #expect(members == ["0"])
    }

    @Test(
      "Wrong flags of a shared service are named with the fix",
      arguments: [["--postgres", "dbname=a"], ["--postgres", "dbname=a", "--folder", "a", "--name", "b", "--crash"]])
    func wrongFlags(_ arguments: [String]) async throws {
      let process = try ChildProcess("orders", arguments)
      #expect(
        await process.complaints == """
          orders --postgres needs --folder FOLDER and --name NAME, and neither --crash nor --kill; write for example orders --postgres service=shop \
          --folder gateways --name first.

          """)
      #expect(await process.end == .exit(64))
    }

    @Test("A password on the command line is refused, and not repeated")
    func secret() async throws {
      let process = try ChildProcess(
        "orders", ["--postgres", "postgresql://u:hidden@h/d", "--folder", "a", "--name", "b"])
      let complaints = await process.complaints
      #expect(complaints.hasPrefix("--postgres was given an address with a password") && !complaints.contains("hidden"))
      #expect(await process.end == .exit(64))
    }
  }
#endif
