#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The commands that stand behind the name of one program, as `replay` does in `shop replay FILE`.
///
/// Each is a ``Flags`` of its own, whose name is that of the program and one word more.
public struct Subcommands: Sendable {
  /// The name of the program, as the user types it.
  public let command: String
  /// One sentence about what the program does.
  public let summary: String
  /// The commands, in the order of the help text.
  public let commands: [Flags]

  /// Declares the commands of a program; one that is not named for the program and a word of its own is a mistake that traps.
  public init(command: String, summary: String, _ commands: [Flags]) {
    precondition(
      commands.allSatisfy { $0.command.hasPrefix(command + " ") }
        && Set(commands.map(\.command)).count == commands.count,
      "The commands of \(command) have to be named '\(command) WORD', and to differ from one another.")
    self.command = command
    self.summary = summary
    self.commands = commands
  }

  /// The request of a command line.
  public enum Choice: Sendable, Equatable {
    /// A help text.
    case help(String)
    /// The command of this word, with its flags.
    case command(String, ParsedFlags)
  }

  /// Reads the arguments, which do not include the name of the program, without printing or ending anything.
  ///
  /// - Throws: ``FlagError`` when the first argument is no command, or for what ``Flags/parse(_:)`` throws of the rest.
  public func parse(_ arguments: [String]) throws(FlagError) -> Choice {
    guard let word = arguments.first else {
      throw FlagError("\(command) needs a command, but was given none; see \(command) --help for those it has.")
    }
    if word == "--help" || word == "-h" { return .help(usage) }
    guard let chosen = commands.first(where: { self.word(of: $0) == word }) else {
      let near = NearestName.of(word, among: commands.map { self.word(of: $0) })
      let hint = near.map { "did you mean \($0)?" } ?? "see \(command) --help for those it has."
      throw FlagError("\(command) has no command \(FlagError.quoted(word)); \(hint)")
    }
    let parsed = try chosen.parse(Array(arguments.dropFirst()))
    return parsed.asksForHelp ? .help(chosen.usage) : .command(word, parsed)
  }

  /// Reads the arguments, or ends the process: with a help text and exit code 0, or with the sentence of the error on standard
  /// error and exit code 64.
  public func parseOrExit(_ arguments: [String]) -> (command: String, flags: ParsedFlags) {
    do throws(FlagError) {
      switch try parse(arguments) {
      case .help(let text):
        print(text)
        exit(EXIT_SUCCESS)
      case .command(let word, let parsed): return (word, parsed)
      }
    } catch {
      // Which of the commands ends the process makes no difference.
      Flags(command: command, summary: summary, []).exit(with: error)
    }
  }

  /// The help text: what the program does, and a line for each of its commands; without a line break at its end.
  public var usage: String {
    let rows = commands.map { (word(of: $0) + ($0.operand.map { " " + $0.placeholder } ?? ""), $0.summary) }
    let all = rows + [("--help", "print this text; behind a command, the one of the command")]
    let width = all.map(\.0.count).max() ?? 0
    let lines = all.map { call, text in "  " + call + String(repeating: " ", count: width - call.count) + "  " + text }
    return ([summary, "", "Usage: \(command) COMMAND ...", ""] + lines).joined(separator: "\n")
  }

  private func word(of flags: Flags) -> String {
    String(flags.command.dropFirst(command.count + 1))
  }
}
