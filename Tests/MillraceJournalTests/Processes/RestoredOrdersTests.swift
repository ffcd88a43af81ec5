#if SQLite && Postgres
  import Foundation
  import MillracePostgresServer
  import Testing

  /// The example `orders`, of which three processes share a server with a synchronous standby, behind one address each.
  @Suite("Orders on servers that are restored and change roles", .timeLimit(.minutes(60)))
  struct RestoredOrdersTests {
    /// `.ci/long` has more.
    private static let rounds = ProcessInfo.processInfo.environment["MILLRACE_RESTORES"].flatMap { Int($0) } ?? 1

    @Test(
      "K5, D1, D6: Through swaps of roles, restores from a backup and failovers, processes continue without a restart, store nothing in another's partition, and report each loss once"
    )
    func servers() async throws {
      let server = try await PostgresServer(["synchronous_standby_names=standby"])
      _ = try await server.standby()
      let cluster = try await OrdersCluster(lease: 2, server: server)
      let processes = try ["first", "second", "third"].map { try cluster.start($0) }
      for process in processes { try await process.settles(members: 3) }
      try cluster.noteStrays()
      for process in processes { try await process.handles(10) }
      var restored = processes.map { _ in 0 }
      for round in 0..<Self.rounds {
        // What is acknowledged from here on has no standby to be lost with.
        for command in ["swap", "failover"] {
          try await cluster.move(command, processes)
          for process in processes { try await process.handlesAnew(5) }
          try cluster.check(zip(processes, restored).flatMap { $0.lines[$1...] })
        }
        #expect(try cluster.strays() == [])
        try await server.perform("copy")
        for process in processes { try await process.handlesAnew(20) }
        let (stopped, others) = (processes[round % 3], [1, 2].map { processes[(round + $0) % 3] })
        stopped.send(SIGSTOP)
        try await cluster.move("rewind", processes)
        for process in others {
          try await process.settles(members: 2)
          try await process.handlesAnew(5)
        }
        stopped.send(SIGCONT)
        for process in processes { try await process.handlesAnew(20) }
        restored = processes.map(\.lines.count)
      }
      for process in processes { try await process.handlesAnew(20) }
      var lost: Set<Int> = []
      for process in processes {
        process.send(SIGTERM)
        let losses = await process.ends(.exit(0), complains: true).matches(
          of: /^Millrace: Partition (\d+) of "orders" (?:ends|has)/.anchorsMatchLineEndings())
        let reports = Dictionary(grouping: losses) { Int($0.output.1) ?? -1 }
        for (partition, reports) in reports {
          #expect(reports.count <= Self.rounds, "partition \(partition) is reported \(reports.count) times")
        }
        lost.formUnion(reports.keys)
      }
      #expect(!lost.isEmpty)
      #expect(try cluster.strays() == [])
      try cluster.check(processes.flatMap(\.lines), lost: lost)
      try cluster.check(zip(processes, restored).flatMap { $0.lines[$1...] })
    }
  }
#endif
