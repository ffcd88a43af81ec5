import Foundation
public import Millrace
package import MillraceFlags
public import MillraceJournal
public import MillraceRecording

extension MillraceCommand {
  /// Runs the command of the arguments about recordings, or behind the word `journal` about journals, and ends the process.
  ///
  /// A `main.swift` of three lines is enough:
  ///
  /// ```swift
  /// import MillraceCommand
  /// import Shop
  /// await MillraceCommand.main(Shop.self, initial: Shop.State())
  /// ```
  ///
  /// It understands what ``main(_:redaction:command:arguments:)`` does, and `journal keys FILE`, `journal stores FILE`,
  /// `journal entries FILE KEY`, `journal runs FILE`, `journal state FILE KEY`, `journal export FILE KEY > FILE` and `journal verify FILE`, which read
  /// the file beside the process that writes it, `journal abandon FILE KEY RUN`, `journal erase FILE KEY` and `journal compact FILE`, which
  /// refuse to change a file that another process has open, and `journal copy FILE --to FILE`. `--postgres ADDRESS` takes the place of `FILE`, for
  /// the tables of a database. Files need the trait `SQLite`, and databases the trait `Postgres`. `docs/the-journal-command.md` explains them.
  ///
  /// The reducer is called on an unspecified thread. Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - interactor: the type of the recordings and of the stores; of it only the reducer is called.
  ///   - initial: the state of revision 0, as `Store.open` is given it.
  ///   - schema: the versions of the values in journals.
  ///   - options: of these the coder, and the time for which an unavailable journal is tried again.
  ///   - redaction: the redaction of the recordings, as ``main(_:redaction:command:arguments:)`` is given it; exported ones get it too.
  ///   - command: the words that the user typed before the arguments, for messages; by default the name of the program.
  ///   - arguments: the words behind those; by default all arguments of the process.
  public static func main<I: Interactor>(
    _ interactor: I.Type, initial: I.State, schema: StoreSchema<I> = StoreSchema(),
    options: JournalOptions = JournalOptions(), redaction: Redaction<I>? = nil, command: String? = nil,
    arguments: [String] = Array(CommandLine.arguments.dropFirst())
  ) async -> Never where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
    let command = command ?? programName
    let journal = "\(command) journal"
    guard arguments.first == "journal" else {
      let recordings = ServiceRecordings<I>(redaction: redaction)
      exit(
        RecordingCommands(command: command, recordings: recordings, others: [journalFlags(command: journal)])
          .run(arguments))
    }
    let types = ServiceJournal(initial: initial, schema: schema, options: options, redaction: redaction)
    exit(await JournalCommands(command: journal, types: types).run(Array(arguments.dropFirst())))
  }

  /// The flags of the commands about journals, for the help text of a program.
  package static func journalFlags(command: String) -> Flags {
    Flags(command: command, summary: "Looks into a journal's file: keys, entries, open runs, damage.", [])
  }

  /// Does what the command line asks of a journal as far as no types are needed, and ends the process.
  package static func journal(command: String, arguments: [String]) async -> Never {
    exit(await JournalCommands(command: command, types: UntypedJournal(command: command)).run(arguments))
  }
}
