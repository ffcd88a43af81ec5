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
      "  keys FILE         Lists", "  entries FILE KEY  Lists", "  verify FILE       Reads", "  75  another process",
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
      #expect((keys.output, keys.errors, keys.code) == ("--b\na\n", "", 0))
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
          and build it with the trait, as by 'swift build -c release --traits SQLite --product millrace'.

          """)
      #expect(end.code == 64)
    }
  #endif
}
