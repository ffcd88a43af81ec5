import MillraceCommand

MillraceCommand.main(Shelf.self)
