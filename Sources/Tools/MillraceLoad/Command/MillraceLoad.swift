import Foundation
package import MillraceFlags

/// Runs a package's own load program.
///
/// A `main.swift` of a few lines is enough:
///
/// ```swift
/// import MillraceLoad
/// import Shop
///
/// await MillraceLoad.main {
///   LoadScenario("carts", rate: 2_000) { user in Store(initial: Cart.State(), interactor: Cart()) } action: { .add(item: $0.number) }
/// }
/// ```
///
/// The program takes `--scenario NAME`, the rate, its schedule, the duration and more; `--help` lists all. Progress goes to standard
/// error, the result to standard output; SIGINT ends the run early and still writes the result. Exit codes are those of
/// `sysexits.h`: 0 when the run was made, 64 for a wrong command line, 69 when the port of `--metrics` cannot be used, 70 when a scenario
/// could not begin, 74 when a report could not be written; and 4 when a condition of `--fail-if` holds for the run, or no request of it
/// finished.
public enum MillraceLoad {
  /// Runs the command of the arguments, and ends the process.
  ///
  /// Signals end the run early; cancelling the task that calls this does not.
  ///
  /// - Parameters:
  ///   - command: the words that the user typed before the arguments, for messages; by default the name of the program.
  ///   - arguments: the words behind those; by default all arguments of the process.
  ///   - scenarios: the scenarios the program offers, one or more; the first is run when the command line names none.
  public static func main(
    command: String? = nil, arguments: [String] = Array(CommandLine.arguments.dropFirst()),
    @LoadScenarioBuilder _ scenarios: () -> [LoadScenario]
  ) async -> Never {
    await main(command: command, arguments: arguments, flags: [], scenarios()) { _ in nil }
  }

  /// Does what the command line asks for, and ends the process; the program has flags beside those of every load program.
  ///
  /// - Parameters:
  ///   - command: the words that the user typed before the arguments, for messages; nil is the name of the program.
  ///   - arguments: the words behind those.
  ///   - flags: the flags of this program alone.
  ///   - scenarios: the scenarios the program offers.
  ///   - makeScenario: makes a scenario of the flags, which is run in place of those offered; nil where the flags ask for none.
  package static func main(
    command: String?, arguments: [String] = Array(CommandLine.arguments.dropFirst()), flags: [Flag],
    _ scenarios: [LoadScenario], makeScenario: (ParsedFlags) throws(FlagError) -> LoadScenario?
  ) async -> Never {
    let name = command ?? CommandLine.arguments.first.map { URL(fileURLWithPath: $0).lastPathComponent } ?? "load"
    let flags = LoadCommand.flags(command: name, scenarios, others: flags)
    let command = flags.parseOrExit(arguments) { parsed throws(FlagError) in
      try LoadCommand(parsed, makeScenario(parsed).map { [$0] } ?? scenarios)
    }
    exit(await command.run())
  }
}

/// Collects the scenarios of a load program.
@resultBuilder
public enum LoadScenarioBuilder {
  /// Takes one scenario.
  public static func buildExpression(_ scenario: LoadScenario) -> [LoadScenario] { [scenario] }
  /// Takes several scenarios that were made elsewhere.
  public static func buildExpression(_ scenarios: [LoadScenario]) -> [LoadScenario] { scenarios }
  /// Joins all scenarios, in order.
  public static func buildBlock(_ parts: [LoadScenario]...) -> [LoadScenario] { parts.flatMap { $0 } }
  /// Keeps the scenarios of an `if` without an `else`.
  public static func buildOptional(_ part: [LoadScenario]?) -> [LoadScenario] { part ?? [] }
  /// Keeps the scenarios of an `if`.
  public static func buildEither(first part: [LoadScenario]) -> [LoadScenario] { part }
  /// Keeps the scenarios of an `else`.
  public static func buildEither(second part: [LoadScenario]) -> [LoadScenario] { part }
  /// Joins the scenarios of a loop.
  public static func buildArray(_ parts: [[LoadScenario]]) -> [LoadScenario] { parts.flatMap { $0 } }
}
