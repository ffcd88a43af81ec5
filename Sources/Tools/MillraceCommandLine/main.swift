import MillraceCommand
import MillraceTop

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "top" { await TopCommand.main(Array(arguments.dropFirst())) }
if arguments.first == "journal" {
  await MillraceCommand.journal(command: "millrace journal", arguments: Array(arguments.dropFirst()))
}
MillraceCommand.main(
  command: "millrace", arguments: arguments,
  beside: [MillraceCommand.journalFlags(command: "millrace journal"), TopCommand.flags])
