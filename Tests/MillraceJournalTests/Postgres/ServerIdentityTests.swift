#if Postgres
  import MillraceTesting
  import Millrace
  import MillraceJournal
  import MillracePostgresServer
  import Testing

  @testable import MillracePostgres

  @Suite("The identity and the settings of a PostgreSQL server", .timeLimit(.minutes(2)))
  struct ServerIdentityTests {
    @Test("A change of the system or of the timeline is a sentence, and what is not known is no change")
    func changes() {
      let first = ServerIdentity(system: 1, timeline: "00000001")
      #expect(first.change(since: first) == nil)
      #expect(ServerIdentity(system: 1, timeline: nil).change(since: first) == nil)
      #expect(first.change(since: ServerIdentity(system: nil, timeline: nil)) == nil)
      #expect(
        ServerIdentity(system: 1, timeline: "00000002").change(since: first)?.hasPrefix(
          "The PostgreSQL server is on timeline 00000002 and was on 00000001, so a standby has taken over or a backup was restored."
        )
          == true)
      #expect(
        ServerIdentity(system: 2, timeline: "00000001").change(since: first)?.hasPrefix(
          "The PostgreSQL server has the system identifier 2 and had 1, so the address leads to another database cluster."
        )
          == true)
    }

    @Test("D1: A weak synchronous_commit is reported only beside a named standby, and full_page_writes=off always")
    func settings() {
      func names(_ commit: String, _ standbys: String, _ pages: String = "on") -> [String] {
        ServerSettings(commit: commit, standbys: standbys, pages: pages).findings.map(\.name)
      }
      for commit in ["on", "remote_apply", "off"] { #expect(names(commit, "standby") == []) }
      for commit in ["local", "remote_write"] {
        #expect(names(commit, "standby") == ["synchronous_commit"])
        #expect(names(commit, " ") == [])
      }
      #expect(names("local", "standby", "off") == ["synchronous_commit", "full_page_writes"])
    }

    @Test("Each unsafe setting is reported once a journal, on both connections together, and not to a reader")
    func reports() async throws {
      let server = try await PostgresServer(["full_page_writes=off"])
      let (reports, read) = (Recorder<Incident.Kind>(), Recorder<Incident.Kind>())
      var options = PostgresOptions()
      options.report = { reports.record($0.kind) }
      let journal = try await PostgresJournal(server.address, options: options)
      #expect(await journal.append([JournalBatch(1, "1")], to: "a", after: .start).stored == 1)
      #expect(reports.recorded == [.unsafeServer])
      options.report = { read.record($0.kind) }
      let reader = try await PostgresJournal(reading: server.address, options: options)
      #expect(try await reader.texts("a") == ["1"])
      #expect(read.recorded == [])
      for journal in [journal, reader] { await journal.close() }
    }

    @Test("Functions that a role's search_path names before those of the server change no statement")
    func hostileFunctions() async throws {
      let server = try await PostgresServer()
      let plain = try PlainPostgres(server)
      let journal = try await PostgresJournal(server.address)
      #expect(await journal.append([JournalBatch(1, "1")], to: "a", after: .start).stored == 1)
      await journal.close()
      try plain.run("create schema trap")
      for function in [
        "sha256(bytea) returns bytea language sql as $$ select '\\x00'::bytea $$",
        "length(bytea) returns int language sql as $$ select 0 $$",
        "convert_from(bytea, name) returns text language sql as $$ select '' $$",
      ] {
        try plain.run("create function trap.\(function)")
      }
      try plain.run("alter role millrace set search_path = trap, pg_catalog, public")
      let trapped = try await PostgresJournal(server.address)
      #expect(await trapped.append([JournalBatch(2, "2")], to: "a", after: 1).stored == 1)
      #expect(try await trapped.texts("a") == ["1", "2"])
      #expect(try await trapped.keys(after: nil) == ["a"])
      await trapped.close()
    }

    @Test("A role that may not read the identity of its server uses the journal without it")
    func refusedFunctions() async throws {
      let server = try await PostgresServer()
      let plain = try PlainPostgres(server)
      try plain.run("create role clerk login")
      try plain.run("grant create on database postgres to clerk")
      for function in ["pg_control_system()", "pg_walfile_name(pg_lsn)"] {
        try plain.run("revoke execute on function \(function) from public")
      }
      let journal = try await PostgresJournal(server.address.replacing("millrace@", with: "clerk@"))
      let member = JournalMember.test(1)
      try await journal.join(member, lease: .seconds(600))
      #expect(try await journal.renew(member.id, lease: .seconds(600)))
      #expect(await journal.append([JournalBatch(1, "1")], to: "a", after: .start).stored == 1)
      await journal.close()
    }
  }
#endif
