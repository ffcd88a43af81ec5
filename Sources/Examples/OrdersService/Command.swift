import Foundation
import MillraceCommand
import MillraceFlags

/// Handles orders by durable steps, and shows what happens to them when the process is killed.
@main
struct Command {
  static let flags = Flags(
    command: "orders",
    summary: "Charges, ships and refunds orders by durable steps; it needs the trait SQLite.",
    notes: [
      "'orders journal --help' tells of the journal that 'orders --folder FOLDER' leaves in its folder.",
      "'orders --crash' needs a few seconds: it starts the service anew for each record of its log, kills it by SIGKILL before or after that "
        + "record is stored, starts it again, and looks at what the gateways have done.",
    ],
    exitCodes: [
      ExitCode(0, "the orders are done, and each gateway has done each thing once"),
      ExitCode(1, "an order ended otherwise, or a gateway has done a thing twice or not at all"), .usage,
    ],
    [
      .toggle("--crash", help: "kill the service at each record of its log, and between each two"),
      .text(
        "--folder", "FOLDER", example: "orders",
        help: "handle the orders once, with a journal and gateways in this folder"),
      .text("--kill", "POINT", example: "after:3", help: "with --folder: end by SIGKILL before:N or after:N, a record"),
    ])

  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "journal" {
      await MillraceCommand.main(
        Orders.self, initial: Orders.State(), command: "orders", arguments: Array(arguments))
    }
    #if SQLite
      let (folder, point) = flags.parseOrExit { parsed throws(FlagError) in try options(parsed) }
      do {
        guard let folder else { return try await CrashRun().run() }
        let service = Service(folder: URL(filePath: folder))
        try await service.run(killingAt: point)
        print(try service.done.joined(separator: "\n"))
      } catch {
        StandardError.writeLine("\(error)")
        exit(1)
      }
    #else
      _ = flags.parseOrExit { parsed throws(FlagError) in parsed }
      FlagError(
        "orders is built without the trait SQLite; write 'swift run -c release --traits SQLite orders --crash'."
      ).exit()
    #endif
  }

  #if SQLite
    /// The folder to handle the orders in, and the moment to end there; nil for a run of crashes.
    private static func options(_ parsed: ParsedFlags) throws(FlagError) -> (folder: String?, point: String?) {
      let (folder, kill) = (parsed.text("--folder"), parsed.text("--kill"))
      guard parsed.isOn("--crash") == (folder == nil), kill == nil || folder != nil else {
        throw FlagError("orders needs either --crash or --folder FOLDER; write for example orders --crash.")
      }
      if let kill, kill.wholeMatch(of: #/(before|after):[1-9]\d*/#) == nil {
        throw FlagError(flag: "--kill", needs: "before:N or after:N", given: kill, example: "after:3")
      }
      return (folder, kill)
    }
  #endif
}
