import MillraceCommand
import MillraceTop

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "top" { await TopCommand.main(Array(arguments.dropFirst())) }
MillraceCommand.main(command: "millrace", arguments: arguments, beside: [TopCommand.flags])
