#if Postgres
  import Foundation
  import Millrace
  import MillraceJournal
  import MillraceLoopback
  import MillracePostgres
  import MillracePostgresServer
  import MillraceTesting
  import Testing

  @testable import PulseService

  /// The command `pulse --cluster`, of which several processes share one database.
  @Suite("pulse in a cluster, as processes", .timeLimit(.minutes(5)))
  struct PulseClusterTests {
    private let schema = "pulse_\(UInt64.random(in: .min ... .max))"
    private let requests = Recorder<LoopbackRequest>()
    /// Whether the target of ``watching(_:)`` is broken, by the newest value.
    private let isBroken = Recorder<Bool>()

    private struct Document: Decodable {
      struct Member: Decodable {
        var name: String
        var partitions: Int
      }
      struct State: Decodable {
        struct Target: Decodable {
          var url: String
          var status: String
          var reason: String?
        }
        struct Alert: Decodable {
          var subject: String
          var status: String
        }
        var targets: [Target]
        var alerts: [Alert]
      }
      var members: [Member]
      var owners: [String: String]
      var partitions: Int
      var state: State
    }

    private struct Notice: Decodable, Hashable {
      var subject: String
      var status: String
      var reason: String?
    }

    /// A server of which one path is broken, and which takes notices at another one.
    private func responder() throws -> LoopbackResponder {
      try LoopbackResponder.toRequests { [requests] request in
        if request.method == "POST" { requests.record(request) }
        return request.path.hasPrefix("/broken") ? .answer(status: 500, body: "") : .answer()
      }
    }

    private func member(_ name: String, _ server: PostgresServer, _ arguments: [String]) throws -> PulseProcess {
      try PulseProcess(
        ["--cluster", server.address, "--schema", schema, "--name", name, "--lease", "1", "--every", "0.1", "--json"]
          + arguments)
    }

    /// Reads the states of a process up to the first one that has this text.
    private func read(_ process: PulseProcess, until text: String) async throws {
      while true {
        let line = try await process.text(from: process.output, through: "\n")
        if line.contains(text) { return }
        let end = line.isEmpty ? try await process.rest(of: process.errors) : nil
        try #require(end == nil, "The process has ended.")
      }
    }

    /// Reads the journal, after each change again, until it is as it should be.
    private func read(_ server: PostgresServer, until fits: (PostgresJournal) async throws -> Bool) async throws {
      var options = PostgresOptions()
      options.schema = schema
      let journal = try await PostgresJournal(reading: server.address, options: options)
      let changes = try await journal.changes()
      if try await !fits(journal) {
        for await _ in changes where try await fits(journal) { break }
      }
      await journal.close()
    }

    /// Starts two members that watch one target, and waits until both show that it is up.
    private func watching(_ server: PostgresServer) async throws -> (LoopbackResponder, [PulseProcess]) {
      let responder = try LoopbackResponder.toRequests { [requests, isBroken] request in
        if request.method == "POST" { requests.record(request) }
        return request.method == "GET" && isBroken.recorded.last == true ? .answer(status: 500, body: "") : .answer()
      }
      let plan = ["--watch", responder.url("/up"), "--alert", "target down", "--notify", responder.url("/hook")]
      let processes = try ["first", "second"].map { try member($0, server, plan) }
      for process in processes { try await read(process, until: "\"status\":\"up\"") }
      return (responder, processes)
    }

    private func status(_ server: PostgresServer) async throws -> (Document, Int32) {
      let process = try PulseProcess(["cluster", "status", server.address, "--schema", schema, "--json"])
      let line = try await process.rest(of: process.output)
      return (try JSONDecoder().decode(Document.self, from: Data(line.utf8)), await process.exitCode)
    }

    @Test(
      "Targets are divided among processes, whose survivor takes over after a SIGKILL; each notice is posted once, and each prints all"
    )
    func takeOver() async throws {
      let server = try await PostgresServer.shared.value
      let responder = try responder()
      defer { responder.stop() }
      let names = (0..<8).map { "up\($0)" } + (0..<4).map { "broken\($0)" }
      let plan =
        names.flatMap { ["--watch", responder.url("/\($0)")] } + [
          "--alert", "target down", "--notify", responder.url("/hook"),
        ]
      let processes = try ["first", "second"].map { try member($0, server, plan) }
      defer { for process in processes { process.end() } }
      for process in processes {
        for name in names { try await read(process, until: responder.url("/\(name)")) }
      }
      // Each notice has a key of its own, also where two processes post.
      let notices = try await requests.next(4)
      #expect(Set(notices.compactMap { $0.headers["idempotency-key"] }).count == 4)
      let (before, code) = try await status(server)
      #expect(code == 2 && before.partitions == 256 && before.members.map(\.name) == ["first", "second"])
      #expect(before.members.map(\.partitions).reduce(0, +) == 256)
      #expect(Set(before.owners.keys) == Set(names.map { responder.url("/\($0)") }))
      #expect(before.state.alerts.filter { $0.status == "firing" }.count == 4)
      processes[0].send(SIGKILL)
      try await read(server) { journal in
        let shares = try await journal.shares(of: Cluster.stores)
        return shares.members.count == 1 && (0..<256).allSatisfy { shares.owner(of: $0) != nil }
      }
      let (after, _) = try await status(server)
      #expect(after.members.map(\.name) == ["second"] && Set(after.owners.values) == ["second"])
      #expect(after.state.targets.count == 12 && after.state.alerts.filter { $0.status == "firing" }.count == 4)
      processes[1].send(SIGTERM)
      let rest = try await processes[1].rest(of: processes[1].output)
      #expect(await processes[1].exitCode == 0)
      #expect(try await processes[1].rest(of: processes[1].errors) == "")
      for name in names { #expect(rest.split(separator: "\n").last?.contains("/\(name)\"") == true) }
      #expect(rest.split(separator: "\n").last?.contains("probing") == false)
      // A fifth notice would be one of a target that was down before.
      #expect(requests.recorded.count == 4)
    }

    @Test(
      "A member with another configuration is refused, and after the others have ended its own holds: alerts of other targets end"
    )
    func configurations() async throws {
      let server = try await PostgresServer.shared.value
      let responder = try responder()
      defer { responder.stop() }
      let common = ["--alert", "target down", "--notify", responder.url("/hook")]
      let first = try member(
        "first", server, ["--watch", responder.url("/broken"), "--watch", responder.url("/up")] + common)
      defer { first.end() }
      _ = try await requests.next()
      let other = try member("other", server, ["--watch", responder.url("/up")] + common)
      #expect(await other.exitCode == 73)
      #expect(
        try await other.rest(of: other.errors)
          == "pulse does not join the cluster: its targets differ from those of the member \"first\"; give all members the same --watch, "
          + "--targets, --alert, --rules, --notify and --every, or end the others first.\n")
      first.send(SIGTERM)
      #expect(await first.exitCode == 0)
      let next = try member("next", server, ["--watch", responder.url("/up")] + common)
      defer { next.end() }
      let end = try JSONDecoder().decode(Notice.self, from: Data(try await requests.next().body.utf8))
      #expect(end == Notice(subject: responder.url("/broken"), status: "resolved", reason: "the target was removed"))
      try await read(server) {
        try await $0.keys(of: Cluster.stores, prefix: "", after: nil).map(\.name) == [responder.url("/up")]
      }
      next.send(SIGHUP)
      #expect(
        try await next.text(from: next.errors, through: "\n")
          == "pulse reads no file again in a cluster, whose members have one configuration; end all members, and start them with the new files.\n"
      )
      next.send(SIGTERM)
      #expect(await next.exitCode == 0)
      #expect(try await status(server).1 == 0)
    }

    @Test(
      "While the database is away no target is shown as down, and when it is back each process continues, and shows what the others do"
    )
    func outage() async throws {
      let server = try await PostgresServer()
      let (responder, processes) = try await watching(server)
      defer {
        responder.stop()
        for process in processes { process.end() }
      }
      try await server.perform("crash")
      // Both say so when the database was away for as long as a lease: their stores and the view, in any order.
      for process in processes {
        let said = try await process.text(from: process.errors, through: "\n")
        let isOutage = said.contains("was unavailable for ") || said.contains("because its journal does not answer")
        #expect(isOutage, "\(said)")
      }
      try await server.perform("start")
      for process in processes { try await read(process, until: "\"status\":\"up\"") }
      isBroken.record(true)
      for process in processes { try await read(process, until: "\"status\":\"firing\"") }
      let notice = try JSONDecoder().decode(Notice.self, from: Data(try await requests.next().body.utf8))
      #expect(notice == Notice(subject: responder.url("/up"), status: "firing", reason: "status 500"))
      for process in processes {
        process.send(SIGTERM)
        #expect(await process.exitCode == 0)
      }
      #expect(requests.recorded.count == 1)
    }

    @Test("When the database is restored from an older copy each process continues with what that has, and shows it")
    func restored() async throws {
      let server = try await PostgresServer()
      let (responder, processes) = try await watching(server)
      defer {
        responder.stop()
        for process in processes { process.end() }
      }
      try await server.perform("copy")
      isBroken.record(true)
      for process in processes { try await read(process, until: "\"status\":\"firing\"") }
      _ = try await requests.next()
      try await server.perform("stop")
      try await server.perform("restore")
      isBroken.record(false)
      try await server.perform("start")
      for process in processes { try await read(process, until: "\"status\":\"ok\"") }
      isBroken.record(true)
      for process in processes { try await read(process, until: "\"status\":\"firing\"") }
      let keys = [requests.recorded[0], try await requests.next()].map { $0.headers["idempotency-key"] }
      #expect(keys[0] != keys[1])
      for process in processes {
        process.send(SIGTERM)
        #expect(await process.exitCode == 0)
      }
    }

    @Test(
      "A password in an address is refused, and a database that does not answer is a sentence without the password of its file"
    )
    func addresses() async throws {
      for arguments in [
        ["--cluster", "postgresql://u:hidden@h/d", "--watch", "tcp://h:1"],
        ["cluster", "status", "postgresql://u:hidden@h/d"],
      ] {
        let process = try PulseProcess(arguments)
        let errors = try await process.rest(of: process.errors)
        #expect(await process.exitCode == 64)
        #expect(errors.contains("was given an address with a password") && !errors.contains("hidden"), "\(errors)")
      }
      let address = "postgresql://u@127.0.0.1:1/d"
      for (arguments, beginning) in [
        (["--cluster", address, "--watch", "tcp://127.0.0.1:1"], "pulse does not start without its cluster. "),
        (["cluster", "status", address], "pulse cannot read the cluster. "),
      ] {
        let process = try PulseProcess(arguments, environment: ["PGPASSWORD": "hidden"])
        let errors = try await process.rest(of: process.errors)
        #expect(await process.exitCode == 73)
        #expect(errors.hasPrefix(beginning) && !errors.contains("hidden"), "\(errors)")
      }
    }
  }
#endif
