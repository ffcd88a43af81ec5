import MillraceCommand

MillraceCommand.main(command: "millrace")
