import Foundation
import Millrace
import MillraceFlags
import MillraceJournal

/// The commands about a journal: their names and flags, and the choice of the one that the arguments ask for.
struct JournalCommands<Types: JournalTypes> {
  /// The words that the user typed before the arguments.
  let command: String
  let types: Types

  var commands: Subcommands {
    Subcommands(
      command: command,
      summary: """
        Looks into a journal, a file or with --postgres the tables of a database, beside
        the process that writes it. Only abandon, erase, forget and compact change it, and
        copy changes the one it copies to. They refuse to change a file that another
        process has open; in a database they cannot tell.
        """,
      exitCodes: [
        ExitCode(0, "it is done"), .usage,
        ExitCode(65, "the journal is damaged, is none, has no such key or run, or a log of another coder"),
        ExitCode(66, "the file cannot be opened, or the database has no journal"), ExitCode(70, "a state has no JSON"),
        .noOutput, ExitCode(75, "another process has the file open, or the database does not answer"),
      ],
      [keys, stores, members, entries, runs, state, export, verify, copy, abandon, erase, forget, compact])
  }

  private var file: Flags.Operand {
    Flags.Operand(
      "FILE", example: "shop.journal", summary: "FILE is the file of a journal; --postgres ADDRESS takes its place.",
      replacedBy: "--postgres")
  }

  /// The flags that name a journal in a database.
  private var database: [Flag] {
    [
      .text(
        "--postgres", "ADDRESS", example: "postgresql://orders@db.example.com/orders",
        help: "the PostgreSQL database of the journal, in the place of FILE (needs the trait Postgres)"),
      .text(
        "--schema", "NAME", example: "orders",
        help: "with --postgres: the schema of its tables (default \(JournalArguments.schema))"),
    ]
  }

  /// Sentences about an address.
  private let addresses = [
    "ADDRESS is a URI or keywords of libpq, without a password: that comes from the",
    "file that PGPASSFILE names, from PGPASSWORD or from a service file.",
  ]

  /// Sentences about changes that a running process could meet.
  private let owners = [
    "It refuses to change a file that another process has open. In a database it",
    "cannot tell whether a process has the key open, so stop the service first. A",
    "process that still runs is fenced: its next append to the key fails, and for",
    "one of many stores its next append to any key of the same partition.",
  ]

  private func key(isOptional: Bool = false) -> Flags.Operand {
    Flags.Operand(
      "KEY", example: "orders",
      summary: "KEY is the name of a log in it; write -- before one that begins with a hyphen.", isOptional: isOptional)
  }

  private var of: Flag {
    .text("--of", "STORES", example: "orders", help: "the name of the many stores that the key is one of")
  }

  /// Declares a command about a journal, with the flags that name a database.
  private func flags(
    _ word: String, _ summary: String, operands: [Flags.Operand] = [], notes: [String] = [], _ flags: [Flag] = []
  ) -> Flags {
    Flags(
      command: "\(command) \(word)", summary: summary, operands: [file] + operands, notes: notes + addresses,
      flags + database)
  }

  private var keys: Flags {
    flags(
      "keys", "Lists the keys of single stores, or of many stores.",
      [
        .text("--of", "STORES", example: "orders", help: "list the keys of the many stores of this name"),
        .text("--prefix", "TEXT", example: "2026-", help: "list only the keys that begin with this text"),
        .toggle("--due", help: "with --of: list only the keys that are due, each behind its wake time"),
        .toggle(
          "--open", help: "list only the keys that have open runs, each behind their number, which reads all logs"),
      ])
  }

  private var stores: Flags {
    flags("stores", "Lists the many stores, with the processes that claimed them last.")
  }

  private var members: Flags {
    flags(
      "members", "Lists the processes that share the stores of a database, with their leases and partitions.",
      notes: [
        "LEASE is what is left of a member's lease, or the time since it has ended. ADDRESS",
        "is - for a member that another process at its address has replaced.",
      ])
  }

  private var forget: Flags {
    flags(
      "forget", "Removes a member whose lease has ended, and releases its partitions.",
      operands: [
        Flags.Operand(
          "MEMBER", example: "9f86d081884c7d659a2feaa0c55ad015",
          summary: "MEMBER is the name of a member, as members lists it.")
      ],
      notes: ["A process that continues after this joins again."])
  }

  private var entries: Flags {
    flags(
      "entries", "Lists the entries of a key.", operands: [key()],
      notes: ["RUN is the sequence of the take-up of the run that an entry belongs to."],
      [
        of,
        .integer("--after", in: 0 ... .max, example: "100", help: "begin behind the entry of this sequence"),
        .integer("--limit", example: "20", help: "the most entries (default \(JournalLists.limit))"),
        .toggle("--full", help: "show payloads whole, and not their first characters only"),
      ])
  }

  private var runs: Flags {
    flags(
      "runs", "Lists the open runs of a key, or of all keys, with their steps.", operands: [key(isOptional: true)],
      notes: [
        "RECORD is the sequence of the take-up, RECOVERY what becomes of the run when its",
        "store is opened, and DEATHS the number of processes in a row that have handled it",
        "without progress, with one that does now.",
      ],
      [
        .text(
          "--of", "STORES", example: "orders", help: "the name of the many stores that the key, or each key, is one of")
      ])
  }

  private var state: Flags {
    flags(
      "state", Types.stateSummary, operands: [key()],
      [
        of,
        .integer("--at", in: 0 ... .max, example: "100", help: "the state after the entry of this sequence"),
      ])
  }

  private var export: Flags { flags("export", Types.exportSummary, operands: [key()], [of]) }

  private var verify: Flags {
    flags("verify", "Reads the whole journal, and names each key that is damaged.")
  }

  private var copy: Flags {
    flags(
      "copy", "Copies keys to another journal, and reads them back.",
      notes: [
        "Records keep their sequences and times. A key whose log there is the beginning",
        "of this one is continued, so a copy can be repeated: after an interruption, and",
        "for what the service has appended since. A key with another log there is named,",
        "and left as it is. Copy while the service runs, stop it, and repeat the copy for",
        "the rest. No service may use the journal that is copied to: its partitions of",
        "many stores are claimed, so a process that has keys of them open is fenced.",
      ],
      [
        .text(
          "--to", "FILE", example: "copy.journal",
          help: "copy to the journal in this file, which is made if it is missing"),
        .text(
          "--to-postgres", "ADDRESS", example: "postgresql://orders@db.example.com/orders",
          help: "copy to this PostgreSQL database, whose tables are made if they are missing"),
        .text(
          "--to-schema", "NAME", example: "orders",
          help: "with --to-postgres: the schema of its tables (default \(JournalArguments.schema))"),
        .text("--of", "STORES", example: "orders", help: "copy only the keys of the many stores of this name"),
        .text("--prefix", "TEXT", example: "2026-", help: "copy only the keys that begin with this text"),
      ])
  }

  private var abandon: Flags {
    flags(
      "abandon", "Ends an open run as abandoned, so that it is not handled again; its closing is not committed.",
      operands: [
        key(),
        Flags.Operand("RUN", example: "17", summary: "RUN is the record of the run's take-up, as runs lists it."),
      ], notes: owners, [of])
  }

  private var erase: Flags {
    flags("erase", "Removes all records, the snapshot and the name of a key.", operands: [key()], notes: owners, [of])
  }

  private var compact: Flags {
    flags(
      "compact", "Writes a file anew, without the room that removed records have left.",
      notes: ["For a database it only tells how PostgreSQL does that: by VACUUM."])
  }

  /// Executes the command that the arguments ask for, and returns the exit code.
  ///
  /// A help text and a wrong command line end the process here.
  func run(_ arguments: [String]) async -> Int32 {
    let (word, flags) = commands.parseOrExit(arguments)
    let arguments = JournalArguments(command: command, word: word, flags: flags, isOfService: Types.knowsCoder)
    do {
      try await JournalExecution(types: types, arguments: arguments).run()
      return EXIT_SUCCESS
    } catch {
      let failure = CommandFailure(error)
      StandardError.writeLine(failure.sentence)
      return failure.code
    }
  }
}
