import Foundation
import MillraceFlags
import MillraceJournal
import MillraceTerminal

/// The command `pulse cluster status`.
enum ClusterCommand {
  static let flags = Flags(
    command: "pulse cluster status",
    summary: "Prints who the members of a cluster are, which targets each of them watches, and how these are.",
    operand: Flags.Operand(
      "ADDRESS", example: "service=pulse", summary: "A URI or keywords of libpq, as for 'pulse --cluster'."),
    exitCodes: [
      ExitCode(0, "no target is down and no alert fires"), ExitCode(2, "a target is down or an alert fires"), .usage,
      ExitCode(73, "the database cannot be read"), .noOutput,
    ],
    [
      .text("--schema", "NAME", example: "pulse", help: "the schema of the tables (default pulse)"),
      .toggle("--json", help: "print one line of compact JSON"),
    ])

  /// Runs the command, and ends the process.
  static func main(_ arguments: [String]) async -> Never {
    let isStatus = arguments.first == "status"
    guard isStatus || ["--help", "-h", "--version"].contains(arguments.first) else {
      FlagError(
        "pulse cluster has one command, status; write for example pulse cluster status service=pulse."
      ).exit()
    }
    let (options, isJSON) = flags.parseOrExit(isStatus ? Array(arguments.dropFirst()) : arguments) {
      parsed throws(FlagError) in
      (
        try ClusterOptions(parsed.operand, schema: parsed.text("--schema"), behind: "ADDRESS"), parsed.isOn("--json")
      )
    }
    do {
      let journal = try await options.open(isReading: true)
      let status = try await ClusterStatus(reading: journal)
      await journal.close()
      try await DescriptorOutput.standard.write(isJSON ? status.json : status.text)
      exit(status.state.isBad ? PulseCommand.badExitCode : EXIT_SUCCESS)
    } catch OutputError.failed(let reason) {
      await PulseCommand.complain(reason)
      exit(EX_IOERR)
    } catch is OutputError {
      exit(EXIT_SUCCESS)
    } catch {
      await PulseCommand.refuse("pulse cannot read the cluster. \(error)")
    }
  }
}
