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
      let cluster = try await Cluster(lease: 2)
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
      let cluster = try await Cluster(lease: 1)
      var (processes, ended, count) = (try (0..<3).map { try cluster.start("\($0)") }, [SharedProcess](), 3)
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

  /// A schema of the server that tests share, with a folder of gateways.
  private final class Cluster: Sendable {
    let schema = "orders_\(UInt64.random(in: .min ... .max))"
    let folder: JournalFolder
    let server: PostgresServer
    let lease: Int

    init(lease: Int) async throws {
      self.lease = lease
      folder = try JournalFolder()
      server = try await PostgresServer.shared.value
    }

    /// Starts a process, which reaches the server by a proxy of its own.
    func start(_ name: String) throws -> SharedProcess {
      let port = try #require(URL(string: server.address)?.port)
      let proxy = try PostgresProxy(to: UInt16(port))
      return try SharedProcess(
        ChildProcess(
          "orders",
          [
            "--postgres", server.address.replacing(":\(port)/", with: ":\(proxy.port)/"), "--schema", schema,
            "--folder",
            folder.path(), "--name", name, "--lease", "\(lease)",
          ]), proxy)
    }

    struct Owner {
      let process: String
      let epoch: Int
    }

    /// The owners by the numbers of their partitions, in plain SQL.
    func owners() throws -> [Int: Owner] {
      let rows = try PlainPostgres(server).run(
        """
        select p.number || ' ' || p.epoch || ' ' || coalesce(convert_from(m.address, 'UTF8'), '') from \(schema).journal_partition p \
        left join \(schema).journal_member m on m.high = p.member_high and m.low = p.member_low
        """)
      var owners: [Int: Owner] = [:]
      for row in rows {
        let parts = row.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        owners[Int(parts[0]) ?? -1] = Owner(process: parts[2], epoch: Int(parts[1]) ?? -1)
      }
      return owners
    }

    /// Compares what the processes have said with the rows, in plain SQL, and with what the gateways have done.
    func check(_ lines: [String]) throws {
      let plain = try PlainPostgres(server)
      for (said, stored) in [(": approved ", "decided"), (": done ", "shipped")] {
        let rows = try plain.run(
          """
          select distinct convert_from(k.name, 'UTF8') from \(schema).journal_key k join \(schema).journal_record r on r.key = k.id \
          where position('"\(stored)"'::bytea in r.payload) > 0
          """)
        let acknowledged = Set(
          lines.compactMap { line in line.split(separator: said).dropFirst().first.map(String.init) }
            .filter { Int($0) != nil })
        #expect(
          !acknowledged.isEmpty && acknowledged.isSubset(of: rows), "\(acknowledged.subtracting(rows)) of \(said)")
      }
      for gateway in ["payments", "warehouse"] {
        let path = URL(filePath: folder.path()).appending(path: gateway)
        let files = try FileManager.default.contentsOfDirectory(at: path, includingPropertiesForKeys: nil)
        let requests = try files.filter { !$0.lastPathComponent.hasPrefix(".") }
          .map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        #expect(Set(requests).count == requests.count && requests.count > 20, "\(gateway) has done a request once")
      }
    }
  }

  /// A process of the cluster, with what it has said.
  private final class SharedProcess: Sendable {
    private let process: ChildProcess
    private let proxy: PostgresProxy
    private let said = Recorder<String>()
    private let reading: Task<Void, Never>

    init(_ process: ChildProcess, _ proxy: PostgresProxy) {
      (self.process, self.proxy) = (process, proxy)
      // All the time, because a process whose output is full waits.
      reading = Task { [said] in
        while true {
          let line = await process.lines(1)
          if line.isEmpty { return }
          said.record(String(line.dropLast()))
        }
      }
    }

    var lines: [String] { said.recorded }

    func send(_ signal: Int32) { process.send(signal) }

    func cutConnections() { proxy.endAll() }

    /// Reads up to the last of a number of lines that fit.
    func reads(_ count: Int = 1, where fits: (String) -> Bool) async throws {
      var left = count
      while left > 0 { if fits(try await said.next(timeout: .seconds(60))) { left -= 1 } }
    }

    func handles(_ count: Int) async throws { try await reads(count) { $0.contains(": done ") } }

    /// Reads until the process owns a part of the partitions with that many members.
    func settles(members: Int) async throws {
      try await reads { $0.contains("partitions with \(members) members") && !$0.contains("owns 0 of") }
    }

    func ends(_ end: ChildProcess.End) async {
      await reading.value
      #expect(await process.end == end)
      let complaints = await process.complaints
      #expect(complaints == "", "\(complaints)")
    }
  }
#endif
