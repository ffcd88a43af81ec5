import Foundation
import MillraceCommand
import MillraceFlags

#if Postgres
  import MillraceJournal
  import MillracePostgres
#endif

/// Handles orders by durable steps, and shows what happens to them when the process is killed.
@main
struct Command {
  static let flags = Flags(
    command: "orders",
    summary:
      "Charges, ships and refunds orders by durable steps; it needs the trait SQLite, or Postgres for --postgres.",
    notes: [
      "'orders journal --help' tells of the journal that 'orders --folder FOLDER' leaves in its folder.",
      "'orders --crash' needs a few seconds: it starts the service anew for each record of its log, kills it by SIGKILL before or after that "
        + "record is stored, starts it again, and looks at what the gateways have done.",
      "'orders --postgres ADDRESS --folder FOLDER --name NAME' handles orders until it is stopped, and shares them with the processes of other names. Kill one of them, or "
        + "stop it (kill -STOP) for longer than a lease and let it continue (kill -CONT).",
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
      .text(
        "--postgres", "ADDRESS", example: "service=shop",
        help: "with --folder and --name: share the orders in this database with other processes"),
      .text("--schema", "NAME", example: "orders", help: "with --postgres: the schema of the tables; default orders"),
      .text("--name", "NAME", example: "first", help: "with --postgres: the name of this process among the others"),
      .seconds(
        "--lease", example: "10",
        help: "with --postgres: the time after which the others take the orders of a process; default 10"),
    ])

  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "journal" {
      await MillraceCommand.main(
        Orders.self, initial: Orders.State(), command: "orders", arguments: Array(arguments))
    }
    // A reader that has seen enough, as `head` has, is an error of the write, and ends no process in the middle of its work.
    signal(SIGPIPE, SIG_IGN)
    #if SQLite || Postgres
      let mode = flags.parseOrExit { parsed throws(FlagError) in try self.mode(parsed) }
      do {
        try await run(mode)
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

  #if SQLite || Postgres
    private enum Mode {
      case crash
      case once(folder: String, point: String?)
      case shared(ParsedFlags)
    }

    /// The form of the program that the flags ask for.
    private static func mode(_ parsed: ParsedFlags) throws(FlagError) -> Mode {
      let (folder, kill) = (parsed.text("--folder"), parsed.text("--kill"))
      if let database = parsed.text("--postgres") {
        try checkShared(parsed, database)
        return .shared(parsed)
      }
      for flag in ["--schema", "--name", "--lease"] where parsed.wasGiven(flag) {
        throw FlagError("\(flag) belongs to --postgres; add that, or leave it out.")
      }
      #if !SQLite
        throw missing("SQLite", for: "orders without --postgres", example: "orders --crash")
      #else
        guard parsed.isOn("--crash") == (folder == nil), kill == nil || folder != nil else {
          throw FlagError("orders needs either --crash or --folder FOLDER; write for example orders --crash.")
        }
        if let kill, kill.wholeMatch(of: #/(before|after):[1-9]\d*/#) == nil {
          throw FlagError(flag: "--kill", needs: "before:N or after:N", given: kill, example: "after:3")
        }
        return folder.map { .once(folder: $0, point: kill) } ?? .crash
      #endif
    }

    private static func checkShared(_ parsed: ParsedFlags, _ database: String) throws(FlagError) {
      #if !Postgres
        throw missing("Postgres", for: "orders --postgres", example: "orders --postgres service=shop")
      #else
        guard parsed.wasGiven("--folder"), parsed.wasGiven("--name"), !parsed.isOn("--crash"),
          !parsed.wasGiven("--kill")
        else {
          throw FlagError(
            "orders --postgres needs --folder FOLDER and --name NAME, and neither --crash nor --kill; write for example "
              + "orders --postgres service=shop --folder gateways --name first.")
        }
        let refusal: String?
        do {
          refusal = try PostgresJournal.secretRefusal(of: database, behind: "--postgres")
        } catch {
          throw FlagError("--postgres: \(error)")
        }
        if let refusal { throw FlagError(refusal) }
      #endif
    }

    private static func missing(_ trait: String, for form: String, example: String) -> FlagError {
      FlagError("\(form) needs the trait \(trait); write 'swift run -c release --traits \(trait) \(example)'.")
    }

    private static func run(_ mode: Mode) async throws {
      switch mode {
      case .crash:
        #if SQLite
          try await CrashRun().run()
        #endif
      case .once(let folder, let point):
        #if SQLite
          let service = Service(folder: URL(filePath: folder))
          try await service.run(killingAt: point)
          print(try service.done.joined(separator: "\n"))
        #endif
      case .shared(let parsed):
        #if Postgres
          try await SharedService(
            database: parsed.text("--postgres") ?? "", schema: parsed.text("--schema") ?? "orders",
            folder: URL(filePath: parsed.text("--folder") ?? ""), name: parsed.text("--name") ?? "",
            lease: parsed.seconds("--lease") ?? .seconds(10)
          ).run()
        #endif
      }
    }
  #endif
}
