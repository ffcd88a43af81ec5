import Foundation
import Millrace
import MillraceJournal
import MillraceTesting
import Testing

@testable import MillraceShelf

/// The commands as processes of their own, beside a process that writes the journal.
@Suite("Commands about journals", .timeLimit(.minutes(2)))
struct JournalCommandsTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private func journal(_ arguments: String...) async throws -> FinishedCommand {
    try await FinishedCommand("millrace", ["journal"] + arguments, in: folder)
  }

  @Test("The help text has the commands, and the one of the program has journal")
  func help() async throws {
    let help = try await journal("--help")
    #expect(help.code == 0)
    for line in [
      "  keys FILE             Lists", "  runs FILE [KEY]       Lists", "  abandon FILE KEY RUN  Ends",
      "  75  another process",
    ] {
      #expect(help.output.contains(line), "\(line)")
    }
    let program = try await FinishedCommand("millrace", ["--help"], in: folder)
    #expect(program.output.contains("  journal "))
  }

  @Test(
    "A wrong command line ends with 64 and a sentence",
    arguments: [
      (["key", "f"], "millrace journal has no command 'key'; did you mean keys?\n"),
      (
        ["keys"],
        "millrace journal keys needs a FILE, but was given none; write for example millrace journal keys shop.journal.\n"
      ),
      (
        ["entries", "f"],
        "millrace journal entries needs a KEY, but was given none; write for example millrace journal entries shop.journal orders.\n"
      ),
    ])
  func usage(arguments: [String], sentence: String) async throws {
    let end = try await FinishedCommand("millrace", ["journal"] + arguments, in: folder)
    #expect(end.errors == sentence)
    #expect(end.code == 64)
  }

  #if SQLite
    /// A file that is open to be written, as by a service.
    private func writer() async throws -> SQLiteJournal {
      let journal = try await SQLiteJournal(folder.file("j").path)
      await journal.add("1", "2", to: "a")
      await journal.add("1", to: "--b")
      try await journal.addOrders(("c", .now), ("d", .never))
      return journal
    }

    @Test("Keys, stores and entries are read beside the writer")
    func beside() async throws {
      let writer = try await writer()
      let keys = try await journal("keys", "j")
      #expect((keys.output, keys.code) == ("--b\na\n", 0))
      #expect(
        keys.errors
          == "'j' also has keys of many stores, which are not listed: 'orders'; add --of STORES to list the keys of one of them.\n"
      )
      for arguments in [["keys", "j"], ["runs", "j"], ["keys", "j", "--open"]] {
        let end = try await FinishedCommand("millrace", ["journal"] + arguments + ["--of", "orders"], in: folder)
        #expect((end.errors, end.code) == ("", 0))
      }
      #expect(try await journal("keys", "j", "--prefix", "a").output == "a\n")
      #expect(try await journal("keys", "j", "--of", "orders").output == "c\nd\n")
      #expect(try await journal("keys", "j", "--of", "orders", "--due").output == "always                    c\n")
      #expect(try await journal("stores", "j").output.hasPrefix("orders: claim 1, by process "))
      let entries = try await journal("entries", "j", "a", "--after", "1", "--limit", "1")
      #expect(entries.output.split(separator: "\n").map { $0.suffix(3) } == ["OAD", "  2"])
      #expect(try await journal("entries", "j", "--", "--b").code == 0)
      #expect(try await journal("entries", "j", "c", "--of", "orders").code == 0)
      await writer.close()
    }

    @Test("Open runs are listed beside the writer, of one key and of all, and so are the keys that have some")
    func runs() async throws {
      let writer = try await SQLiteJournal(folder.file("j").path)
      let gate = Gate()
      let store = try await Charges.open(writer, key: "orders") { _, _ in try await gate.enter() }
      store.send(.charge(order: 17), key: "a")
      try await gate.waitForArrivals(1)
      for arguments in [["runs", "j"], ["runs", "j", "orders"]] {
        let end = try await FinishedCommand("millrace", ["journal"] + arguments, in: folder)
        let lines = end.output.split(separator: "\n")
        #expect(
          lines.count == 4 && lines[0].hasPrefix("  RECORD  TAKEN UP") && lines[1].hasPrefix("       2  2026-11-25"))
        #expect(lines.last == "  key     a")
        #expect((end.errors, end.code) == ("", 0))
      }
      #expect(try await journal("keys", "j", "--open").output == "       1  orders\n")
      try await writer.addOrders(("c", .never))
      let all = try await journal("runs", "j")
      #expect(
        all.errors
          == "'j' also has keys of many stores, which are not listed: 'orders'; add --of STORES to list the runs of one of them.\n"
      )
      let none = try await journal("runs", "j", "carts")
      #expect(none.errors.hasPrefix("'j' has no key 'carts';"))
      gate.open()
      await store.shutdown()
      await writer.close()
    }

    @Test(
      "A service shows the state at a record as JSON, beside the writer, and its other journal commands are those without types"
    )
    func state() async throws {
      let writer = try await SQLiteJournal(folder.file("j").path)
      let store = try await Store.open(initial: Shelf.State(), interactor: Shelf(), journal: writer, key: "shelf")
      for pages in 1...2 { #expect(await store.send(.put("Emma \(pages)", pages: pages)).outcome.kind == .finished) }
      func shelf(_ arguments: String...) async throws -> FinishedCommand {
        try await FinishedCommand("MillraceShelf", ["journal"] + arguments, in: folder)
      }
      let first = try await shelf("state", "j", "shelf", "--at", "2")
      #expect(
        first.output == """
          {
            "books" : [
              "Emma 1"
            ],
            "pages" : 1
          }

          """)
      #expect((first.errors, first.code) == ("The state at record 2, of revision 1.\n", 0))
      #expect(try await shelf("state", "j", "shelf").output.contains("\"pages\" : 3"))
      #expect(try await shelf("keys", "j").output == "shelf\n")
      try await shelf("export", "j", "shelf").output.write(
        to: folder.file("shelf.jsonl"), atomically: true, encoding: .utf8)
      let replayed = try await FinishedCommand("MillraceShelf", ["replay", "shelf.jsonl"], in: folder)
      #expect(replayed.output == "Replayed 2 commits up to revision 2; 1 recorded state is the same.\n")
      #expect(try await journal("export", "j", "shelf").code == 64)
      #expect(try await shelf("state", "j", "shelf", "--at", "9").code == 65)
      let none = try await shelf("state", "j", "x")
      #expect(none.errors.hasPrefix("'j' has no key 'x'; MillraceShelf journal keys lists those it has"))
      let untyped = try await journal("state", "j", "shelf")
      #expect(untyped.errors.hasPrefix("millrace journal state needs the reducer of the service"))
      #expect((untyped.output, untyped.code) == ("", 64))
      await store.shutdown()
      await writer.close()
    }

    @Test("A file that is whole is verified with 0, and a damaged one with 65")
    func verify() async throws {
      await (try await writer()).close()
      let whole = try await journal("verify", "j")
      #expect((whole.output, whole.errors, whole.code) == ("'j' is whole: 4 keys, 5 records and 0 snapshots.\n", "", 0))
      var bytes = try Data(contentsOf: folder.file("j"))
      let mutations = try #require(bytes.range(of: Data("mutations".utf8)))
      bytes[mutations.lowerBound] ^= 1
      try bytes.write(to: folder.file("j"))
      let damaged = try await journal("verify", "j")
      #expect(
        damaged.errors.contains("The key 'c' of the stores 'orders' is damaged. ")
          || damaged.errors.contains("The key 'd'"))
      #expect(damaged.errors.hasSuffix("could be read; restore the journal from a copy.\n"))
      #expect((damaged.output, damaged.code) == ("", 65))
    }

    @Test(
      "A file that another process has open to write or to read is not changed, and says so with 75",
      arguments: [["abandon", "j", "a", "1"], ["erase", "j", "a"], ["compact", "j"]])
    func isOpen(arguments: [String]) async throws {
      let writer = try await writer()
      func expectRefusal() async throws {
        let end = try await FinishedCommand("millrace", ["journal"] + arguments, in: folder)
        #expect(
          end.errors
            == "'\(folder.file("j").path)' is open in another process, so nothing is changed; end that process, and repeat the call.\n"
        )
        #expect((end.output, end.code) == ("", 75))
      }
      try await expectRefusal()
      #expect(await writer.append([JournalBatch(9, [JournalEntry(.emit, "3")])], to: "a", after: 2).stored == 1)
      await writer.close()
      let reader = try await SQLiteJournal(reading: folder.file("j").path)
      try await expectRefusal()
      #expect(try await reader.lastSequence(of: "a") == 3)
      await reader.close()
    }

    @Test("A key is erased, also one of many stores, and a file that a crash has left is used")
    func erase() async throws {
      await (try await writer()).close()
      let one = try await journal("erase", "j", "a")
      #expect((one.output, one.errors, one.code) == ("The key 'a' is erased.\n", "", 0))
      #expect(try await journal("erase", "j", "c", "--of", "orders").code == 0)
      #expect(try await journal("keys", "j").output == "--b\n")
      #expect(try await journal("keys", "j", "--of", "orders").output == "d\n")
      #expect(try await journal("verify", "j").code == 0)
      let none = try await journal("erase", "no", "a")
      #expect(none.errors.contains("'\(folder.file("no").path)' cannot be opened: "))
      #expect((none.output, none.code) == ("", 66))
      #expect(!FileManager.default.fileExists(atPath: folder.file("no").path))
    }

    @Test("A run is abandoned, after which its store opens without it")
    func abandon() async throws {
      // A copy of the files of a store that is open is what a crash leaves.
      let writer = try await SQLiteJournal(folder.file("open").path)
      let gate = Gate()
      let store = try await Charges.open(writer, key: "orders") { _, _ in try await gate.enter() }
      store.send(.charge(order: 17))
      try await gate.waitForArrivals(1)
      for end in ["", "-wal"] {
        try FileManager.default.copyItem(at: folder.file("open" + end), to: folder.file("j" + end))
      }
      gate.open()
      await store.shutdown()
      await writer.close()
      let end = try await journal("abandon", "j", "orders", "2")
      #expect((end.output, end.errors, end.code) == ("The run 2 of 'orders' is abandoned, by record 4.\n", "", 0))
      #expect(try await journal("runs", "j").output.split(separator: "\n").count == 1)
      #expect(try await journal("abandon", "j", "orders", "2").code == 65)
      let number = try await journal("abandon", "j", "orders", "two")
      #expect(
        number.errors
          == "millrace journal abandon needs a number as RUN, but was given 'two'; write for example 17.\n")
      #expect(number.code == 64)
    }

    @Test("A file is smaller once it is compacted, and as whole as before")
    func compact() async throws {
      let writer = try await SQLiteJournal(folder.file("j").path)
      await writer.add(String(repeating: "x", count: 1_000_000), to: "large")
      await writer.add("1", to: "small")
      try await writer.erase("large", claim: nil)
      await writer.close()
      func size() throws -> Int { try Data(contentsOf: folder.file("j")).count }
      let before = try size()
      let end = try await journal("compact", "j")
      #expect(try size() < before / 4)
      #expect((end.output, end.errors, end.code) == ("'j' has \(try size()) bytes, and had \(before).\n", "", 0))
      #expect(try await journal("verify", "j").output == "'j' is whole: 1 key, 1 record and 0 snapshots.\n")
      let again = try await SQLiteJournal(folder.file("j").path)
      #expect(await again.append([JournalBatch(9, [JournalEntry(.emit, "2")])], to: "small", after: 1).stored == 1)
      await again.close()
    }

    @Test("Wake times are only those of many stores")
    func due() async throws {
      let end = try await journal("keys", "j", "--due")
      #expect(
        end.errors
          == "millrace journal keys --due needs --of STORES, because only keys of many stores have wake times; add it.\n"
      )
      #expect(end.code == 64)
    }

    @Test("A key that is not there ends with 65, a missing file with 66, and a file of another kind with 65")
    func missing() async throws {
      await (try await writer()).close()
      let key = try await journal("entries", "j", "x")
      #expect(key.errors.hasPrefix("'j' has no key 'x'; millrace journal keys lists those it has"))
      #expect((key.output, key.code) == ("", 65))
      for command in [["keys", "no"], ["entries", "no", "a"], ["verify", "no"]] {
        let end = try await FinishedCommand("millrace", ["journal"] + command, in: folder)
        #expect(end.errors.contains("cannot be opened to be read"))
        #expect((end.output, end.code) == ("", 66))
      }
      try folder.write([String(repeating: "x", count: 4_096)], to: "text")
      #expect(try await journal("verify", "text").code == 65)
    }
  #else
    @Test("Without the trait SQLite each command says how to build with it", arguments: ["keys", "verify"])
    func withoutTrait(command: String) async throws {
      let end = try await journal(command, "j")
      #expect(
        end.errors == """
          millrace journal \(command) of 'j' needs SQLite, and this program was built without the trait SQLite; install libsqlite3-dev, \
          and build it by 'swift build -c release --traits SQLite --product millrace'.

          """)
      #expect(end.code == 64)
      let service = try await FinishedCommand("MillraceShelf", ["journal", command, "j"], in: folder)
      #expect(
        service.errors.hasSuffix(
          "and add 'traits: [\"SQLite\"]' to the package's dependency on Millrace, and build it again.\n"))
    }
  #endif
}
