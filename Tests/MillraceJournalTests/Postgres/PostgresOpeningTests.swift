#if Postgres
  import Foundation
  import Millrace
  import MillraceJournal
  import MillracePostgresServer
  import Testing

  @testable import MillracePostgres

  @Suite("Opening a journal in PostgreSQL", .timeLimit(.minutes(2)))
  struct PostgresOpeningTests {
    @Test(
      "No error has a password, wherever the address has it",
      arguments: [
        "postgresql://u:s3cret-word@127.0.0.1:1/db", "postgresql://u:s3cret-word@127.0.0.1:1/db?unknown=s3cret-word",
        "postgresql://u@127.0.0.1:1/db?password=s3cret-word", "host=127.0.0.1 port=1 password=s3cret-word",
        "password s3cret-word", "host=127.0.0.1 port=1 password='s3cret-word", "s3cret-word",
        "host=127.0.0.1 port=s3cret-word", "host=127.0.0.1 port=1 sslpassword=s3cret-word",
        "postgresql://u:s3cret-word/rest@127.0.0.1:1/db", "postgresql://u:1/s3cret-word@127.0.0.1:1/db",
        "postgresql://u:first@s3cret-word@127.0.0.1:1/db",
        "host=127.0.0.1 port=1 service=none password=s3cret-word",
      ])
    func secrets(_ address: String) async throws {
      let error = try await failure { _ = try await PostgresJournal(address) }
      #expect([.cannotOpen, .unavailable].contains(error.code), "\(error)")
      #expect(!"\(error)".contains("s3cret-word"))
    }

    @Test("A password that is refused is no part of the error")
    func refusedPassword() async throws {
      let server = try await PostgresServer(["password_encryption=scram-sha-256"])
      let plain = try PlainPostgres(server)
      try plain.run("create role clerk login password 'another'")
      try plain.run("create table lines(line text)")
      try plain.run(
        "copy lines from program 'sed -i ''1i host all clerk 127.0.0.1/32 scram-sha-256'' pg_hba.conf; echo'")
      try plain.run("select pg_reload_conf()::text")
      let address = server.address.replacing("millrace@", with: "clerk:s3cret-word@")
      let error = try await failure { _ = try await PostgresJournal(address) }
      #expect(error.code == .cannotOpen && "\(error)".contains("password authentication failed for user \"clerk\""))
      #expect("\(error)".hasSuffix("; mend the role, its password or the server's pg_hba.conf."))
      #expect(!"\(error)".contains("s3cret-word"))
    }

    @Test(
      "An address that no later attempt can use is refused with the fix, and a server that does not answer is unavailable",
      arguments: [
        ("user=nobody", "; mend the role, its password or the server's pg_hba.conf."),
        ("dbname=nothing", "; make the database, or name another one."),
        ("service=nothing", "; mend the address, or add the service to the service file."),
        ("host='no host'", "; name another host."),
        (
          "sslmode=verify-full sslrootcert=/nowhere/root.crt",
          "; put a certificate at '/nowhere/root.crt', or name another file."
        ),
        ("port=1", nil),
        ("host=127.0.0.1,127.0.0.1 port=1,PORT user=nobody", nil),
      ] as [(String, String?)])
    func lasting(_ change: String, _ fix: String?) async throws {
      let address = try #require(URL(string: try await PostgresServer.shared.value.address))
      let port = "\(address.port ?? 0)"
      let keywords =
        "host=127.0.0.1 port=\(port) user=\(address.user() ?? "") dbname=\(address.lastPathComponent)"
      // The last of two values counts.
      let changed = "\(keywords) \(change.replacing("PORT", with: port))"
      let error = try await failure { _ = try await PostgresJournal(changed) }
      #expect(error.code == (fix == nil ? .unavailable : .cannotOpen), "\(error)")
      if let fix {
        #expect(error.description.hasPrefix("PostgreSQL cannot be opened: ") && error.description.hasSuffix(fix))
      }
    }

    @Test(
      "A relation of another program with the name of the table is refused as none of a journal",
      arguments: ["create table % (line text)", "create view % as select 1 as version, 1 as partitions"])
    func otherRelation(_ statement: String) async throws {
      let fixture = PostgresFixture()
      let plain = try PlainPostgres(try await PostgresServer.shared.value)
      try plain.run("create schema \(fixture.schema)")
      try plain.run(statement.replacing("%", with: "\(fixture.schema).journal_format"))
      let error = try await failure { _ = try await fixture.journal() }
      #expect(error.code == .notAJournal)
      #expect(
        error.description
          == "\"\(fixture.schema)\".journal_format is not a table of a journal, and was not changed; use another schema."
      )
    }

    @Test("A server or an address that cannot be used is refused with the reason and the fix")
    func refusals() async throws {
      let server = try await PostgresServer(["fsync=off"])
      var error = try await failure { _ = try await PostgresJournal(server.address) }
      #expect(
        error.code == .cannotOpen
          && error.description
            == "The PostgreSQL server runs with fsync=off, and loses acknowledged records in a crash; set fsync=on."
      )
      let shared = try await PostgresServer.shared.value
      let database = "latin_\(UInt64.random(in: .min ... .max))"
      try PlainPostgres(shared).run("create database \(database) encoding 'LATIN1' template template0")
      error = try await failure {
        _ = try await PostgresJournal(shared.address.replacing("/postgres", with: "/\(database)"))
      }
      #expect(
        error.code == .cannotOpen
          && error.description
            == "The PostgreSQL server has a database with the encoding LATIN1; use a database with the encoding UTF8."
      )
      try PlainPostgres(shared).run("drop database \(database) with (force)")
      for name in ["", "pg_temp", String(repeating: "é", count: 32), "a\0b"] {
        error = try await failure {
          var options = PostgresOptions()
          options.schema = name
          _ = try await PostgresJournal(shared.address, options: options)
        }
        #expect(
          error.code == .cannotOpen && error.description.contains("is none of a schema; take one of 1 to 63 bytes"))
      }
    }

    @Test("Tables of another version, and a table of another program, are left as they are")
    func otherTables() async throws {
      let fixture = PostgresFixture()
      await (try await fixture.journal()).close()
      let plain = try PlainPostgres(try await PostgresServer.shared.value)
      try plain.run("update \(fixture.schema).journal_format set version = 7")
      var error = try await failure { _ = try await fixture.journal() }
      #expect(error.code == .otherVersion)
      #expect(
        error.description == """
          The tables of schema "\(fixture.schema)" have version 7, and this program reads version 3; use the version of Millrace that \
          made them.
          """)
      try plain.run("delete from \(fixture.schema).journal_format")
      error = try await failure { _ = try await fixture.journal() }
      #expect(error.code == .notAJournal)
    }

    @Test("Eight journals at once make the tables of a schema whose name has any characters, and use them")
    func openAtOnce() async throws {
      let server = try await PostgresServer.shared.value
      var options = PostgresOptions()
      options.schema = "a \"b\" é; \(UInt64.random(in: .min ... .max))"
      let errors = await withTaskGroup(of: JournalError?.self) { [options] group in
        for number in 0..<8 as Range<UInt64> {
          group.addTask {
            do throws(JournalError) {
              let journal = try await PostgresJournal(server.address, options: options)
              let result = await journal.append([JournalBatch(number, "x")], to: JournalKey("\(number)"), after: .start)
              await journal.close()
              return result.failure
            } catch {
              return error
            }
          }
        }
        return await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
      }
      #expect(errors.isEmpty, "\(errors)")
    }

    @Test("Services in schemas of one database do not see each other, and tables keep their number of partitions")
    func schemas() async throws {
      var (one, two) = (PostgresFixture(), PostgresFixture())
      (one.partitions, two.partitions) = (3, 5)
      let journals = [try await one.journal(), try await two.journal()]
      for (number, journal) in journals.enumerated() {
        #expect(await journal.append([JournalBatch(1, "\(number)")], to: "a", after: .start).stored == 1)
      }
      for (number, journal) in journals.enumerated() { #expect(try await journal.texts("a") == ["\(number)"]) }
      one.partitions = 256
      let again = try await one.journal()
      #expect(try await again.partitions(of: "orders") == 3)
      for journal in journals + [again] { await journal.close() }
    }

    @Test("A role that may only read and change rows runs the journal, and one without rights is told which it needs")
    func roles() async throws {
      let fixture = PostgresFixture()
      await (try await fixture.journal()).close()
      let server = try await PostgresServer.shared.value
      let (plain, role) = (try PlainPostgres(server), "role_\(UInt64.random(in: .min ... .max))")
      try plain.run("create role \(role) login")
      let address = server.address.replacing("millrace@", with: "\(role)@")
      var options = PostgresOptions()
      options.schema = fixture.schema
      let error = try await failure { [options] in _ = try await PostgresJournal(address, options: options) }
      #expect(error.code == .cannotOpen)
      #expect(error.description.hasSuffix("and grant select, insert, update and delete to this one."), "\(error)")
      try plain.run("grant usage on schema \(fixture.schema) to \(role)")
      try plain.run("grant select, insert, update, delete on all tables in schema \(fixture.schema) to \(role)")
      let journal = try await PostgresJournal(address, options: options)
      let claim = try await journal.claim(.of("orders"), as: .now())
      let keys = (0..<200).map { "\($0)" }.filter { JournalPartition(of: "orders", holding: $0, among: 1).number == 0 }
      #expect(await journal.append(keys.map { .init(1, "1", to: $0) }, claim: claim).allSatisfy { $0.stored == 1 })
      #expect(await journal.append([JournalBatch(1, "1")], to: "a", after: .start).stored == 1)
      let large = JournalSnapshot(sequence: 1, revision: 1, payload: Array(repeating: 7, count: 3_000_000))
      try await journal.store(large, of: .order("1"), truncatingBefore: .max)
      #expect(try await journal.snapshot(of: .order("1")) == large)
      try await journal.erase(.order("1"), claim: claim)
      try await journal.erase("a", claim: nil)
      await journal.close()
    }

    @Test("A long key, and one with U+0000, are keys as any other")
    func longKeys() async throws {
      let journal = try await PostgresFixture().journal()
      let start = String(repeating: "k", count: 5_000)
      let keys = [JournalKey("\(start)a"), JournalKey("\(start)b"), JournalKey("\0"), JournalKey("\0\0")]
      for (number, key) in keys.enumerated() {
        #expect(await journal.append([JournalBatch(1, "\(number)")], to: key, after: .start).stored == 1)
      }
      for (number, key) in keys.enumerated() { #expect(try await journal.texts(key) == ["\(number)"]) }
      #expect(try await journal.keys(after: nil) == [keys[2], keys[3], keys[0], keys[1]])
      #expect(try await journal.keys(after: keys[0]) == [keys[1]])
      await journal.close()
    }

    @Test("A record or a snapshot that was changed in its table is found, with the sequence")
    func changedRows() async throws {
      let fixture = PostgresFixture()
      let journal = try await fixture.journal()
      _ = await journal.append([JournalBatch(1, "1", "2", "3")], to: "a", after: .start)
      try await journal.store(JournalSnapshot(sequence: 1, revision: 1, payload: [1, 2, 3]), of: "a")
      let plain = try PlainPostgres(try await PostgresServer.shared.value)
      try plain.run("update \(fixture.schema).journal_snapshot set payload = '\\x010204'")
      #expect(try await failure { _ = try await journal.snapshot(of: "a") }.code == .corrupt)
      try plain.run("update \(fixture.schema).journal_record set revision = revision + 1 where sequence = 2")
      var error = try await failure { _ = try await journal.records(of: "a", after: .start) }
      #expect(error.code == .corrupt && error.sequence == 2)
      for sequence in [2, 3, 1] {
        try plain.run("delete from \(fixture.schema).journal_record where sequence = \(sequence)")
        error = try await failure { _ = try await journal.records(of: "a", after: .start) }
        #expect(error.code == .corrupt && error.sequence == JournalSequence(sequence == 1 ? 1 : 2))
      }
      await journal.close()
    }
  }
#endif
