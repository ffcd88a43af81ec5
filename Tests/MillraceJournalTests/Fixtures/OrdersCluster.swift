#if SQLite && Postgres
  import Foundation
  import MillracePostgresServer
  import Millrace
  import MillraceTesting
  import Testing

  @testable import MillraceJournal

  /// A schema of a server, with a folder of gateways, for processes of the example `orders`.
  final class OrdersCluster: Sendable {
    let schema = "orders_\(UInt64.random(in: .min ... .max))"
    let folder: JournalFolder
    let server: PostgresServer
    let lease: Int
    /// The address of the server that takes writes.
    private let current: Lock<String>

    /// - Parameter server: a server of the test's own; nil for the one that tests share.
    init(lease: Int, server: PostgresServer? = nil) async throws {
      self.lease = lease
      folder = try JournalFolder()
      self.server = if let server { server } else { try await PostgresServer.shared.value }
      current = Lock(self.server.address)
    }

    /// Starts a process, which reaches the server by a proxy of its own.
    func start(_ name: String) throws -> OrdersProcess {
      let port = try Self.port(of: server.address)
      let proxy = try PostgresProxy(to: port)
      let address = server.address.replacing(":\(port)/", with: ":\(proxy.port)/") + "?application_name=\(name)"
      return try OrdersProcess(
        ChildProcess(
          "orders",
          [
            "--postgres", address, "--schema", schema, "--folder", folder.path(), "--name", name, "--lease", "\(lease)",
          ]), proxy)
    }

    static func port(of address: String) throws -> UInt16 { UInt16(try #require(URL(string: address)?.port)) }

    struct Owner {
      let process: String
      let epoch: Int
    }

    /// The owners by the numbers of their partitions, in plain SQL.
    func owners() throws -> [Int: Owner] {
      let rows = try plain().run(
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

    // MARK: The server

    /// Changes the server, and leads the connections of the processes to the one that takes writes then.
    func move(_ command: String, _ processes: [OrdersProcess]) async throws {
      let address = try await server.move(command)
      current.withLock { $0 = address }
      for process in processes { process.redirect(to: try Self.port(of: address)) }
    }

    /// Has the server note each record that a process stores in a partition of another one, by the names of both.
    func noteStrays() throws {
      let plain = try plain()
      try plain.run("create table public.stray(text text)")
      try plain.run(
        """
        create function public.note_stray() returns trigger language plpgsql security definer as $$ declare holder text; begin \
        select convert_from(m.address, 'UTF8') into holder from \(schema).journal_partition p join \(schema).journal_member m \
        on m.high = p.member_high and m.low = p.member_low where p.id = new.partition; \
        if holder <> current_setting('application_name') then insert into public.stray values \
        (current_setting('application_name') || ' in partition ' || new.partition || ' of ' || holder); end if; return null; end $$
        """)
      try plain.run(
        "create trigger note after insert on \(schema).journal_record for each row execute function public.note_stray()"
      )
    }

    /// The records that were stored in a partition of another process.
    func strays() throws -> [String] { try plain().run("select text from public.stray") }

    private func plain() throws -> PlainPostgres { try PlainPostgres(current.withLock { $0 }) }

    // MARK: What was done

    /// Compares what the processes have said with the rows, in plain SQL, and with what the gateways have done.
    ///
    /// - Parameter lost: the partitions with records that were reported as lost.
    func check(_ lines: [String], lost: Set<Int> = []) throws {
      let plain = try plain()
      for (said, stored) in [(": approved ", "decided"), (": done ", "shipped")] {
        let rows = try plain.run(
          """
          select distinct convert_from(k.name, 'UTF8') from \(schema).journal_key k join \(schema).journal_record r on r.key = k.id \
          where position('"\(stored)"'::bytea in r.payload) > 0
          """)
        let acknowledged = Set(
          lines.compactMap { line in line.split(separator: said).dropFirst().first.map(String.init) }
            .filter { Int($0) != nil })
        let missing = acknowledged.subtracting(rows).filter { id in
          !lost.contains(JournalPartition(of: "orders", holding: id, among: 256).number)
        }
        #expect(!acknowledged.isEmpty && missing.isEmpty, "\(missing) of \(said)")
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
  final class OrdersProcess: Sendable {
    private let process: ChildProcess
    private let proxy: PostgresProxy
    private let said = Recorder<String>()
    /// The number of lines that were read.
    private let read = Lock(0)
    private let reading: Task<Void, Never>
    private let complaining: Task<String, Never>

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
      complaining = Task { await process.complaints }
    }

    var lines: [String] { said.recorded }

    func send(_ signal: Int32) { process.send(signal) }

    func cutConnections() { proxy.endAll() }

    func redirect(to port: UInt16) { proxy.redirect(to: port) }

    /// Reads up to the last of a number of lines that fit.
    func reads(_ count: Int = 1, where fits: (String) -> Bool) async throws {
      var left = count
      while left > 0 { if fits(try await next()) { left -= 1 } }
    }

    private func next() async throws -> String {
      let line = try await said.next(timeout: .seconds(60))
      read.withLock { $0 += 1 }
      return line
    }

    func handles(_ count: Int) async throws { try await reads(count) { $0.contains(": done ") } }

    /// Reads on until the process has handled a number of orders after what it has said by now.
    func handlesAnew(_ count: Int) async throws {
      let said = said.recorded.count
      while read.withLock({ $0 }) < said { _ = try await next() }
      try await handles(count)
    }

    /// Reads until the process owns a part of the partitions with that many members.
    func settles(members: Int) async throws {
      try await reads { $0.contains("partitions with \(members) members") && !$0.contains("owns 0 of") }
    }

    /// Waits for the end of the process, and returns what it has written to standard error.
    @discardableResult
    func ends(_ end: ChildProcess.End, complains: Bool = false) async -> String {
      await reading.value
      #expect(await process.end == end)
      let complaints = await complaining.value
      #expect(complains || complaints == "", "\(complaints)")
      return complaints
    }
  }
#endif
