/// The commands that stand behind the name of one program, as `replay` does in `shop replay FILE`.
///
/// Each is a ``Flags`` of its own, whose name is that of the program and one word more.
package struct Subcommands: Sendable {
  private let command: String
  private let summary: String
  private let exitCodes: [ExitCode]
  private let commands: [(word: String, flags: Flags)]

  /// Declares the commands of a program; one that is not named for the program and a word of its own is a mistake that traps.
  ///
  /// - Parameter exitCodes: the exit codes that the help text lists.
  package init(command: String, summary: String, exitCodes: [ExitCode] = [], _ commands: [Flags]) {
    precondition(
      commands.allSatisfy { $0.command.hasPrefix(command + " ") }
        && Set(commands.map(\.command)).count == commands.count,
      "The commands of \(command) have to be named '\(command) WORD', and to differ from one another.")
    (self.command, self.summary, self.exitCodes) = (command, summary, exitCodes)
    self.commands = commands.map { (String($0.command.dropFirst(command.count + 1)), $0) }
  }

  /// Reads the arguments, which do not include the name of the program, without printing or ending anything.
  ///
  /// - Returns: the word of the command and its flags; where help is asked for, flags with a ``ParsedFlags/help``.
  /// - Throws: ``FlagError`` when the first argument is no command, or for what ``Flags/parse(_:)`` throws of the rest.
  package func parse(_ arguments: [String]) throws(FlagError) -> (command: String, flags: ParsedFlags) {
    guard let word = arguments.first else {
      throw FlagError("\(command) needs a command, but was given none; see \(command) --help for those it has.")
    }
    if ["--help", "-h", "--version"].contains(word) {
      var parsed = ParsedFlags(of: [])
      parsed.help = word == "--version" ? Version.line(of: command) : usage
      return ("", parsed)
    }
    guard let chosen = commands.first(where: { $0.word == word }) else {
      throw FlagError(unknown: word, kind: "command", of: command, among: commands.map(\.word))
    }
    return (word, try chosen.flags.parse(Array(arguments.dropFirst())))
  }

  /// Reads the arguments, or ends the process: with the text that was asked for and exit code 0, or with the sentence of the error on standard
  /// error and exit code 64.
  package func parseOrExit(_ arguments: [String]) -> (command: String, flags: ParsedFlags) {
    FlagError.exitIfThrown { () throws(FlagError) in
      let parsed = try parse(arguments)
      parsed.flags.exitIfHelp()
      return parsed
    }
  }

  /// The help text: what the program does, a line for each of its commands, and the exit codes; without a line break at its end.
  package var usage: String {
    let rows = commands.map { word, flags in
      (([word] + flags.operands.map(\.spelling)).joined(separator: " "), flags.summary)
    }
    let lines = Flags.table(
      rows + [
        ("--help", "print this text; behind a command, the one of the command"), ("--version", "print the version"),
      ])
    return ([summary, "", "Usage: \(command) COMMAND ...", ""] + lines + ExitCode.section(exitCodes)).joined(
      separator: "\n")
  }
}
