import Foundation
import Millrace
import MillraceJournal
import MillraceTesting
import Testing

@testable import MillraceShelf

#if Postgres
  import MillracePostgres
#endif

/// The commands as processes of their own, about a database.
@Suite("Commands about journals in PostgreSQL", .timeLimit(.minutes(2)))
struct JournalDatabaseTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private func journal(_ arguments: [String]) async throws -> FinishedCommand {
    try await FinishedCommand("millrace", ["journal"] + arguments, in: folder)
  }

  @Test("The help texts have the flags of the database, and say what an operator has to see to")
  func help() async throws {
    let keys = try await journal(["keys", "--help"])
    for line in [
      "--postgres ADDRESS", "FILE is the file of a journal; --postgres ADDRESS takes its place.", "PGPASSFILE",
    ] {
      #expect(keys.output.contains(line), "\(line)")
    }
    #expect(
      try await journal(["erase", "--help"]).output.contains(
        "cannot tell whether a process has the key open, so stop the service first."))
    #expect(
      try await journal(["copy", "--help"]).output.contains(
        "Copy while the service runs, stop it, and repeat the copy for"))
  }

  #if Postgres
    /// A journal that a service has open.
    private func writer(_ schema: TestSchema) async throws -> any PartitionedJournal {
      let journal = try await schema.open { $0.partitions = 1 }
      await journal.add("1", "2", to: "a")
      await journal.add("1", to: "b")
      try await journal.addOrders(("c", .now), ("d", .never))
      return journal
    }

    @Test("Keys, stores and entries are read beside the writer")
    func beside() async throws {
      let schema = try await TestSchema()
      let writer = try await writer(schema)
      let keys = try await journal(["keys"] + schema.flags)
      #expect((keys.output, keys.code) == ("a\nb\n", 0))
      #expect(keys.errors.hasSuffix("not listed: 'orders'; add --of STORES to list the keys of one of them.\n"))
      #expect(try await journal(["keys", "--of", "orders"] + schema.flags).output == "c\nd\n")
      #expect(
        try await journal(["keys", "--of", "orders", "--due"] + schema.flags).output == "always                    c\n")
      #expect(try await journal(["stores"] + schema.flags).output.hasPrefix("orders: claim 1, by process "))
      let entries = try await journal(["entries", "a", "--after", "1"] + schema.flags)
      #expect(entries.output.split(separator: "\n").map { $0.suffix(3) } == ["OAD", "  2"])
      let none = try await journal(["entries", "x"] + schema.flags)
      #expect(
        none.errors.hasPrefix(
          "PostgreSQL schema '\(schema.name)' has no key 'x'; millrace journal keys lists those it has"))
      #expect(none.code == 65)
      #expect(await writer.append([JournalBatch(9, [JournalEntry(.emit, "3")])], to: "a", after: 2).stored == 1)
      await writer.close()
    }

    @Test("A service shows its states and exports its logs, and the partitions of many stores have their numbers")
    func state() async throws {
      let schema = try await TestSchema()
      let writer = try await schema.open()
      let store = try await Store.open(initial: Shelf.State(), interactor: Shelf(), journal: writer, key: "shelf")
      #expect(await store.send(.put("Emma", pages: 1)).outcome.kind == .finished)
      _ = try await writer.claim(JournalPartition(of: "orders", number: 3), as: .now())
      func shelf(_ arguments: String...) async throws -> FinishedCommand {
        try await FinishedCommand("MillraceShelf", ["journal"] + arguments + schema.flags, in: folder)
      }
      #expect(try await shelf("state", "shelf").output.contains("\"pages\" : 1"))
      #expect(try await shelf("export", "shelf").output.split(separator: "\n").count > 2)
      #expect(try await shelf("runs").code == 0)
      #expect(try await shelf("stores").output.hasPrefix("orders, partition 3: claim 1, by process "))
      await store.shutdown()
      await writer.close()
    }

    @Test("Tables that are whole are verified with 0, and damaged ones with 65")
    func verify() async throws {
      let schema = try await TestSchema()
      await (try await writer(schema)).close()
      let whole = try await journal(["verify"] + schema.flags)
      #expect(
        (whole.output, whole.errors, whole.code)
          == ("PostgreSQL schema '\(schema.name)' is whole: 4 keys, 5 records and 0 snapshots.\n", "", 0))
      try await schema.run(
        "update SCHEMA.journal_record set payload = '' where key = (select id from SCHEMA.journal_key where name = 'a')"
      )
      try await schema.run("delete from SCHEMA.journal_key where name = 'b'")
      let damaged = try await journal(["verify"] + schema.flags)
      #expect(damaged.errors.contains("The key 'a' is damaged. Record 1 of \"a\" is missing or is not the one"))
      #expect(damaged.errors.contains("journal_record has records of the key 2, which has no row in the table"))
      #expect(
        damaged.errors.hasSuffix(
          "is damaged: 2 problems in 3 keys, 2 records and 0 snapshots that could be read; restore the journal from a copy.\n"
        ))
      #expect((damaged.output, damaged.code) == ("", 65))
    }

    @Test(
      "Positions of a database that two records have, or none, are found, and so are a wrong end and a missing row",
      arguments: [
        (
          "drop index SCHEMA.journal_record_position; update SCHEMA.journal_record set position = 3 where position = 4",
          "Two records have position 3 of partition 0 of \"orders\"."
        ),
        (
          "update SCHEMA.journal_partition set position = position + 1000",
          "Of the positions of partition 0 of \"orders\" from 3 to 1004, 1000 have no record."
        ),
        (
          "update SCHEMA.journal_record set position = position + 1000 where position > 3; "
            + "update SCHEMA.journal_partition set position = position + 1000",
          "Of the positions of partition 0 of \"orders\" from 3 to 1004, 1000 have no record."
        ),
        (
          "update SCHEMA.journal_partition set position = 3",
          "The row of partition 0 of \"orders\" says that it ends at position 3, and it has a record at 4."
        ),
        (
          "delete from SCHEMA.journal_record where position > 2; update SCHEMA.journal_key set last = 0 where last = 1; "
            + "update SCHEMA.journal_partition set position = 1000; update SCHEMA.journal_erased set position = 1000",
          "The row of partition 0 of \"orders\" says that it ends at position 1000, and its keys have had 2 records and erasures."
        ),
        (
          "delete from SCHEMA.journal_partition",
          "Keys or records belong to the partition with the id 1, which has no row or no name in the table "
        ),
        (
          "delete from SCHEMA.journal_stores; delete from SCHEMA.journal_key where stores > 0; delete from SCHEMA.journal_record where partition > 0; "
            + "insert into SCHEMA.journal_key(stores, partition, name, last, truncated, epoch_sequence, epoch) values (0, 7, 'x', 0, 0, 0, '')",
          "Keys or records belong to the partition with the id 7, which has no row or no name in the table "
        ),
      ])
    func positions(damage: String, sentence: String) async throws {
      let schema = try await TestSchema()
      let writer = try await schema.open { $0.partitions = 1 }
      try await writer.addOrders(("a", .never))
      let claim = try await writer.claim(JournalPartition(of: "orders", number: 0), as: .now())
      try await writer.erase(JournalKey("a", of: "orders"), claim: claim)
      try await writer.addOrders(("c", .now), ("d", .never))
      await writer.close()
      #expect(try await journal(["verify"] + schema.flags).code == 0)
      for statement in damage.split(separator: "; ") { try await schema.run(String(statement)) }
      let damaged = try await journal(["verify"] + schema.flags)
      #expect(damaged.errors.contains(sentence), "\(damaged.errors)")
      #expect((damaged.output, damaged.code) == ("", 65))
    }

    @Test("A database is whole of which records were removed, and keys erased, begun anew and copied")
    func wholePositions() async throws {
      let schema = try await TestSchema()
      let writer = try await schema.open { $0.partitions = 2 }
      let count = 200
      func claim(_ name: String) async throws -> JournalClaim {
        try await writer.claim(JournalPartition(of: "orders", holding: name, among: 2), as: .now())
      }
      for number in 0..<count {
        let (name, entries) = ("\(number)", (0...(number % 4)).map { JournalEntry(.emit, "\($0)") })
        let key = JournalKey(name, of: "orders")
        let claim = try await claim(name)
        func append(after last: JournalSequence) async {
          let append = JournalKeyAppend([JournalBatch(1, entries)], to: key, after: last)
          #expect(await writer.append([append], claim: claim).map(\.stored) == [1])
        }
        if number % 10 == 7 { try await writer.begin(key, after: 5, wake: nil, claim: claim) }
        await append(after: number % 10 == 7 ? 5 : .start)
        if number % 10 == 7 { try await writer.store(JournalSnapshot(sequence: 5, revision: 5, payload: [1]), of: key) }
        if number % 3 == 0 {
          let last = try await writer.lastSequence(of: key)
          try await writer.store(JournalSnapshot(sequence: last, revision: 1, payload: [1]), of: key)
          try await writer.truncate(key, through: JournalSequence(last.number - UInt64(number % 2)))
        }
        if number % 5 == 0 {
          try await writer.erase(key, claim: claim)
          if number % 2 == 0 { await append(after: try await writer.lastSequence(of: key)) }
        }
      }
      await writer.close()
      let whole = try await journal(["verify"] + schema.flags)
      #expect(whole.code == 0 && whole.errors.isEmpty, "\(whole.errors)")
    }

    @Test("Members are listed with their leases and partitions, and one whose lease has ended is forgotten")
    func members() async throws {
      let schema = try await TestSchema()
      let writer = try await schema.open()
      func member(_ number: UInt64) -> JournalMember {
        JournalMember(
          .init(high: number, low: 7), of: "orders", address: "10.0.0.\(number):80",
          process: JournalEpoch(host: "host", process: Int(number), time: 0))
      }
      for number in 1...2 as ClosedRange<UInt64> { try await writer.join(member(number), lease: .seconds(3_000)) }
      #expect(try await writer.take([0, 1, 3], as: member(1)).count == 3)
      let (first, second) = ("\(member(1).id)", "\(member(2).id)")
      let list = try await journal(["members"] + schema.flags)
      let lines = list.output.split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
      #expect(lines.map { $0.first ?? "" } == ["MEMBER", first[...], "partitions", second[...]])
      #expect(lines[1].dropFirst().prefix(5) == ["for", "49m", "3", "orders", "10.0.0.1:80"])
      #expect(list.output.contains("\n  partitions  0-1, 3\n") && list.output.contains("process 1 on host"))
      let living = try await journal(["forget", first] + schema.flags)
      #expect(living.errors.hasPrefix("The member \(first) has a lease (for 49m), so its process may still run;"))
      #expect(living.code == 65)
      try await schema.run(
        "update SCHEMA.journal_member set lease_until = clock_timestamp() - interval '2 hours' where high = 1")
      #expect(try await journal(["members"] + schema.flags).output.contains("\(first)  ended 2h ago"))
      let end = try await journal(["forget", first] + schema.flags)
      #expect(
        (end.output, end.errors, end.code)
          == ("The member \(first) is forgotten, and its partitions (3) are free.\n", "", 0))
      let none = try await journal(["forget", first] + schema.flags)
      #expect(
        none.errors
          == "PostgreSQL schema '\(schema.name)' has no member '\(first)'; millrace journal members lists those it has.\n"
      )
      #expect(none.code == 65)
      #expect(try await writer.shares(of: "orders").owners.values.allSatisfy { $0.member == nil })
      #expect(try await writer.shares(of: "orders").members == [member(2)])
      await writer.close()
    }

    #if SQLite
      @Test("A file has no members", arguments: [["members", "j"], ["forget", "j", "a"]])
      func noMembers(arguments: [String]) async throws {
        await (try await SQLiteJournal(folder.file("j").path)).close()
        let end = try await journal(arguments)
        #expect(end.errors.hasPrefix("millrace journal \(arguments[0]) is for databases. A file has no members:"))
        #expect((end.output, end.code) == ("", 64))
      }
    #endif

    @Test("A key is erased, and a process that still has its partition open is fenced")
    func erase() async throws {
      let schema = try await TestSchema()
      let writer = try await writer(schema)
      let claim = try await writer.claim(JournalPartition(of: "orders", number: 0), as: .now())
      let one = try await journal(["erase", "a"] + schema.flags)
      #expect((one.output, one.errors, one.code) == ("The key 'a' is erased.\n", "", 0))
      #expect(try await journal(["erase", "c", "--of", "orders"] + schema.flags).code == 0)
      #expect(try await writer.keys(after: nil) == ["b"])
      #expect(try await writer.keys(of: "orders", prefix: "", after: nil).map(\.name) == ["d"])
      let part = JournalKeyAppend(
        [JournalBatch(9, [JournalEntry(.emit, "2")])], to: JournalKey("d", of: "orders"), after: 1)
      #expect(await writer.append([part], claim: claim).map(\.failure?.code) == [.conflict])
      await writer.close()
    }

    @Test("A run is abandoned, after which its store opens without it")
    func abandon() async throws {
      let schema = try await TestSchema()
      let writer = try await schema.open()
      let gate = Gate()
      let store = try await Charges.open(writer, key: "orders") { _, _ in try await gate.enter() }
      store.send(.charge(order: 17))
      try await gate.waitForArrivals(1)
      let end = try await journal(["abandon", "orders", "2"] + schema.flags)
      #expect((end.output, end.errors, end.code) == ("The run 2 of 'orders' is abandoned, by record 4.\n", "", 0))
      #expect(try await journal(["runs", "orders"] + schema.flags).output.split(separator: "\n").count == 1)
      gate.open()
      await store.shutdown()
      await writer.close()
    }

    @Test("compact says how PostgreSQL does it, and changes nothing")
    func compact() async throws {
      let schema = try await TestSchema()
      let end = try await journal(["compact"] + schema.flags)
      #expect(
        end.errors.hasPrefix(
          "millrace journal compact is for files. PostgreSQL uses the room of removed records again by itself"))
      #expect((end.output, end.code) == ("", 64))
    }

    @Test(
      "A schema without tables gets none, and is named with 66",
      arguments: [["keys"], ["verify"], ["erase", "a"], ["abandon", "a", "1"]])
    func noTables(arguments: [String]) async throws {
      let schema = try await TestSchema()
      for _ in 0..<2 {
        let end = try await journal(arguments + schema.flags)
        #expect(
          end.errors
            == "The schema \"\(schema.name)\" has no tables of a journal; name the schema and the database that a program has written to.\n"
        )
        #expect((end.output, end.code) == ("", 66))
      }
    }

    @Test("A server that does not answer ends with 75")
    func noServer() async throws {
      let end = try await journal(["keys", "--postgres", "postgresql://orders@127.0.0.1:1/none"])
      #expect(
        end.errors.hasPrefix("PostgreSQL cannot be used now: ") && end.errors.hasSuffix("; the call can be repeated.\n")
      )
      #expect((end.output, end.code) == ("", 75))
    }

    @Test(
      "A password on the command line is refused, and is in no error",
      arguments: [
        ["keys", "--postgres", "postgresql://orders:secret@host/orders"],
        ["keys", "--postgres=host=a password=secret"],
        ["entries", "a", "--postgres", "postgresql://host/orders?password=secret"],
        ["copy", "j", "--to-postgres", "host=a sslpassword=secret"],
        ["keys", "--postgres", "postgresql://orders:secret@[host"],
        ["keys", "postgresql://orders:secret@host/orders"],
        ["copy", "j", "--to", "postgres://orders:secret@host/orders"],
        ["keys", "j", "postgresql://orders:secret@host/orders"],
        ["keys", "postgresql://orders:secret@host/orders", "--postgres", "host=a"],
        ["keys", "--postgres", "host=a", "--schema", "pg_none"],
      ])
    func secrets(arguments: [String]) async throws {
      let end = try await journal(arguments)
      #expect(!end.errors.contains("secret") && !end.errors.isEmpty && end.output.isEmpty)
      #expect([64, 66].contains(end.code), "\(end.errors)")
      let isRefused = arguments.contains { $0.contains("password=") } || arguments.last?.contains("secret@host") == true
      if isRefused, arguments.contains(where: { $0.hasPrefix("--postgres") || $0 == "--to-postgres" }) {
        for name in ["PGPASSFILE", "PGPASSWORD", "PGSERVICE"] { #expect(end.errors.contains(name), "\(end.errors)") }
      }
    }

    @Test(
      "A wrong command line ends with 64 and a sentence",
      arguments: [
        (
          ["keys", "j", "--postgres", "host=a"],
          "millrace journal keys takes no FILE with --postgres, but was given 'j' too; leave one of the two out.\n"
        ),
        (
          ["entries", "--postgres", "host=a"],
          "millrace journal entries needs a KEY, but was given none; write for example millrace journal entries orders.\n"
        ),
        (
          ["keys", "j", "--schema", "a"],
          "millrace journal keys --schema needs --postgres ADDRESS, because files have no schemas; add it, or leave --schema out.\n"
        ),
        (
          ["copy", "j"],
          "millrace journal copy needs --to FILE or --to-postgres ADDRESS, to which the keys are copied; add one of them.\n"
        ),
        (
          ["copy", "j", "--to", "k", "--to-postgres", "host=a"],
          "millrace journal copy takes --to or --to-postgres; leave one of the two out.\n"
        ),
      ])
    func usage(arguments: [String], sentence: String) async throws {
      let end = try await journal(arguments)
      #expect(end.errors == sentence)
      #expect(end.code == 64)
    }
  #else
    @Test(
      "Without the trait Postgres the flag says how to build with it", arguments: [["keys", "--postgres", "host=a"]])
    func withoutTrait(arguments: [String]) async throws {
      let end = try await journal(arguments)
      #expect(
        end.errors == """
          millrace journal keys --postgres needs libpq, and this program was built without the trait Postgres; install libpq-dev, and build it by \
          'swift build -c release --traits Postgres --product millrace'.

          """)
      #expect(end.code == 64)
    }
  #endif
}
