import Foundation
import Millrace
import MillraceFlags
import MillraceJournal

/// The commands about the file of a journal: their names and flags, and the choice of the one that the arguments ask for.
struct JournalCommands<Types: JournalTypes> {
  /// The words that the user typed before the arguments.
  let command: String
  let types: Types

  var commands: Subcommands {
    Subcommands(
      command: command,
      summary: """
        Looks into the file of a journal, beside the process that writes it. Only abandon, erase and compact
        change it, and they refuse to while another process has it open.
        """,
      exitCodes: [
        ExitCode(0, "it is done"), .usage,
        ExitCode(65, "the file is damaged, is no journal, has no such key or run, or a log of another coder"),
        ExitCode(66, "the file cannot be opened"), ExitCode(70, "a state has no JSON"), .noOutput,
        ExitCode(75, "another process has the file open"),
      ],
      [keys, stores, entries, runs, state, export, verify, abandon, erase, compact])
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
        .integer("--limit", example: "20", help: "the most entries (default \(JournalLists.limit))"),
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

  private var export: Flags {
    Flags(command: "\(command) export", summary: Types.exportSummary, operands: [file, key()], [of])
  }

  private var verify: Flags {
    Flags(
      command: "\(command) verify", summary: "Reads the whole file, and names each key that is damaged.",
      operand: file, [])
  }

  private var abandon: Flags {
    Flags(
      command: "\(command) abandon",
      summary: "Ends an open run as abandoned, so that it is not handled again; its closing is not committed.",
      operands: [
        file, key(),
        Flags.Operand("RUN", example: "17", summary: "RUN is the record of the run's take-up, as runs lists it."),
      ], [of])
  }

  private var erase: Flags {
    Flags(
      command: "\(command) erase", summary: "Removes all records, the snapshot and the name of a key.",
      operands: [file, key()], [of])
  }

  private var compact: Flags {
    Flags(
      command: "\(command) compact", summary: "Writes the file anew, without the room that removed records have left.",
      operand: file, [])
  }

  /// Executes the command that the arguments ask for, and returns the exit code.
  ///
  /// A help text and a wrong command line end the process here.
  func run(_ arguments: [String]) async -> Int32 {
    let (word, flags) = commands.parseOrExit(arguments)
    #if SQLite
      do {
        try await JournalExecution(command: command, types: types, word: word, flags: flags).run()
        return EXIT_SUCCESS
      } catch {
        let failure = CommandFailure(error)
        StandardError.writeLine(failure.sentence)
        return failure.code
      }
    #else
      let fix =
        Types.knowsCoder
        ? "add 'traits: [\"SQLite\"]' to the package's dependency on Millrace, and build it again"
        : "build it by 'swift build -c release --traits SQLite --product millrace'"
      StandardError.writeLine(
        """
        \(command) \(word) of \(FlagError.quoted(flags.operand)) needs SQLite, and this program was built without the trait SQLite; \
        install libsqlite3-dev, and \(fix).
        """)
      return EX_USAGE
    #endif
  }
}
