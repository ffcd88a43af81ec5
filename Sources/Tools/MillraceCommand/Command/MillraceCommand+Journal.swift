import Foundation
package import MillraceFlags

extension MillraceCommand {
  /// The flags of the commands about journals, for the help text of a program.
  package static func journalFlags(command: String) -> Flags {
    Flags(command: command, summary: "Looks into the file of a journal: keys, entries, open runs, damage.", [])
  }

  /// Does what the command line asks of the file of a journal as far as no types are needed, and ends the process.
  package static func journal(command: String, arguments: [String]) async -> Never {
    exit(await JournalCommands(command: command, types: UntypedJournal()).run(arguments))
  }
}
