import MillraceCommand

await MillraceCommand.main(Shelf.self, initial: Shelf.State())
