import Foundation
import Millrace
import MillraceFlags
import MillraceJournal

/// The commands about the file of a journal: their names and flags, and the choice of the one that the arguments ask for.
struct JournalCommands<Types: JournalTypes> {
  /// The default number of entries that are listed.
  private static var limit: Int { 1_000 }

  /// The words that the user typed before the arguments.
  let command: String
  let types: Types

  var commands: Subcommands {
    Subcommands(
      command: command,
      summary: "Looks into the file of a journal, beside the process that writes it, and changes nothing in it.",
      exitCodes: [
        ExitCode(0, "it is done"), .usage,
        ExitCode(65, "the file is damaged, is no journal, has no such key, or a log of another coder"),
        ExitCode(66, "the file cannot be opened"), ExitCode(70, "a state has no JSON"), .noOutput,
        ExitCode(75, "another process has the file locked"),
      ],
      [keys, stores, entries, runs, state, verify])
  }

  private var file: Flags.Operand {
    Flags.Operand("FILE", example: "shop.journal", summary: "FILE is the file of a journal.")
  }

  private func key(isOptional: Bool = false) -> Flags.Operand {
    Flags.Operand(
      "KEY", example: "orders",
      summary: "KEY is the name of a log in it; write -- before one that begins with a hyphen.", isOptional: isOptional)
  }

  private var of: Flag {
    .text("--of", "STORES", example: "orders", help: "the name of the many stores that the key is one of")
  }

  private var keys: Flags {
    Flags(
      command: "\(command) keys", summary: "Lists the keys of single stores, or of many stores.", operand: file,
      [
        .text("--of", "STORES", example: "orders", help: "list the keys of the many stores of this name"),
        .text("--prefix", "TEXT", example: "2026-", help: "list only the keys that begin with this text"),
        .toggle("--due", help: "with --of: list only the keys that are due, each behind its wake time"),
        .toggle(
          "--open", help: "list only the keys that have open runs, each behind their number, which reads all logs"),
      ])
  }

  private var stores: Flags {
    Flags(
      command: "\(command) stores", summary: "Lists the many stores, with the processes that claimed them last.",
      operand: file, [])
  }

  private var entries: Flags {
    Flags(
      command: "\(command) entries", summary: "Lists the entries of a key.", operands: [file, key()],
      notes: ["RUN is the sequence of the take-up of the run that an entry belongs to."],
      [
        of,
        .integer("--after", in: 0 ... .max, example: "100", help: "begin behind the entry of this sequence"),
        .integer("--limit", example: "20", help: "the most entries (default \(Self.limit))"),
        .toggle("--full", help: "show payloads whole, and not their first characters only"),
      ])
  }

  private var runs: Flags {
    Flags(
      command: "\(command) runs", summary: "Lists the open runs of a key, or of all keys, with their steps.",
      operands: [file, key(isOptional: true)],
      notes: [
        "RECORD is the sequence of the take-up, RECOVERY what becomes of the run when its",
        "store is opened, and DEATHS the number of openings in a row without progress.",
      ],
      [
        .text(
          "--of", "STORES", example: "orders", help: "the name of the many stores that the key, or each key, is one of")
      ])
  }

  private var state: Flags {
    Flags(
      command: "\(command) state", summary: Types.stateSummary, operands: [file, key()],
      [
        of,
        .integer("--at", in: 0 ... .max, example: "100", help: "the state after the entry of this sequence"),
      ])
  }

  private var verify: Flags {
    Flags(
      command: "\(command) verify", summary: "Reads the whole file, and names each key that is damaged.",
      operand: file, [])
  }

  /// Executes the command that the arguments ask for, and returns the exit code.
  ///
  /// A help text and a wrong command line end the process here.
  func run(_ arguments: [String]) async -> Int32 {
    let (word, flags) = commands.parseOrExit(arguments)
    #if SQLite
      do {
        try await execute(word, flags)
        return EXIT_SUCCESS
      } catch {
        let failure = CommandFailure(error)
        StandardError.writeLine(failure.sentence)
        return failure.code
      }
    #else
      StandardError.writeLine(
        """
        \(command) \(word) of \(FlagError.quoted(flags.operand)) needs SQLite, and this program was built without the trait SQLite; \
        install libsqlite3-dev, and build it with the trait, as by 'swift build -c release --traits SQLite --product millrace'.
        """)
      return EX_USAGE
    #endif
  }

  #if SQLite
    private func execute(_ word: String, _ flags: ParsedFlags) async throws {
      if word == "keys" { try check(keys: flags) }
      let file = flags.operand
      let journal = try await word == "verify" ? SQLiteJournal(checking: file) : SQLiteJournal(reading: file)
      var output = StandardOutput()
      do {
        try await execute(word, flags, journal) { try output.add($0) }
      } catch {
        await journal.close()
        // The lines before a failure are true.
        try output.flush()
        throw error
      }
      await journal.close()
      try output.flush()
    }

    private func execute(
      _ word: String, _ flags: ParsedFlags, _ journal: SQLiteJournal, _ write: (String) throws -> Void
    ) async throws {
      let lists = JournalLists(journal: journal, command: command, file: flags.operand)
      switch word {
      case "keys":
        let (stores, prefix) = (flags.text("--of"), flags.text("--prefix") ?? "")
        if flags.isOn("--open") {
          try await runs(journal, flags).keys(of: stores, prefix: prefix, write)
        } else if let stores, flags.isOn("--due") {
          try await lists.dueKeys(of: stores, prefix: prefix, before: WallTime.now(), write)
        } else {
          try await lists.keys(of: stores, prefix: prefix) { try write($0.name.shownOnOneLine() + "\n") }
        }
      case "stores": for claim in try await journal.claims() { try write("\(claim)\n") }
      case "entries":
        try await lists.entries(
          of: JournalKey(flags.operands[1], of: flags.text("--of")),
          after: flags.integer("--after").map { JournalSequence(UInt64($0)) },
          limit: flags.integer("--limit") ?? Self.limit, isFull: flags.isOn("--full"), write)
      case "runs":
        let runs = runs(journal, flags)
        if flags.operands.count == 1 { return try await runs.all(of: flags.text("--of"), write) }
        let key = JournalKey(flags.operands[1], of: flags.text("--of"))
        try await checkThatExists(key, in: journal, flags)
        try write(JournalRuns<Types>.headings + "\n")
        try await runs.list(key, write)
      case "state":
        let key = JournalKey(flags.operands[1], of: flags.text("--of"))
        try await state(of: key, at: flags.integer("--at").map { JournalSequence(UInt64($0)) }, journal, flags, write)
      default:
        var check = JournalVerification(of: journal, file: flags.operand, line: .standardError)
        try write(try await check.run() + "\n")
      }
    }

    private func state(
      of key: JournalKey, at end: JournalSequence?, _ journal: SQLiteJournal, _ flags: ParsedFlags,
      _ write: (String) throws -> Void
    ) async throws {
      if Types.knowsCoder { try await checkThatExists(key, in: journal, flags) }
      switch try await types.state(of: key, in: journal, at: end) {
      case .refused(let failure): throw failure
      case .state(let json, let sequence, let revision):
        // Standard output has the JSON only, so that another program can read it.
        StandardError.writeLine("The state at record \(sequence), of revision \(revision).")
        try write(json + "\n")
      }
    }

    private func checkThatExists(_ key: JournalKey, in journal: SQLiteJournal, _ flags: ParsedFlags) async throws {
      guard try await journal.lastSequence(of: key) > .start else {
        throw CommandFailure.noKey(key, in: flags.operand, command: command)
      }
    }

    private func check(keys flags: ParsedFlags) throws(CommandFailure) {
      guard flags.isOn("--due") else { return }
      if flags.text("--of") == nil {
        throw CommandFailure(
          "\(command) keys --due needs --of STORES, because only keys of many stores have wake times; add it.",
          code: EX_USAGE)
      }
      if flags.isOn("--open") {
        throw CommandFailure("\(command) keys takes --due or --open; leave one of the two out.", code: EX_USAGE)
      }
    }

    private func runs(_ journal: SQLiteJournal, _ flags: ParsedFlags) -> JournalRuns<Types> {
      JournalRuns(journal: journal, types: types, command: command, file: flags.operand, now: WallTime.now())
    }
  #endif
}
