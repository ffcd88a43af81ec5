import Foundation
public import Millrace
package import MillraceFlags
public import MillraceRecording

/// Runs a service's own command that replays its recordings and makes pages of them.
///
/// A `main.swift` of three lines is enough:
///
/// ```swift
/// import MillraceCommand
/// import Shop
/// MillraceCommand.main(Shop.self)
/// ```
///
/// It understands `replay FILE`, `report FILE > report.html` and `info FILE`, and `--help`. With the initial state of its store it looks
/// into the files of journals too: ``main(_:initial:schema:options:redaction:command:arguments:)``. Exit codes are as in `sysexits.h`:
///
/// | Code | Means |
/// |---|---|
/// | 0 | it is done; a replay has led to the recorded states |
/// | 1 | a replay has led to another state |
/// | 64 | the command line is wrong |
/// | 65 | the file is broken, is no recording of these types, or has no state that a replay could compare |
/// | 66 | the file cannot be opened |
/// | 70 | a state cannot be encoded |
/// | 74 | standard output cannot be written to |
public enum MillraceCommand {
  /// Runs the command of the arguments, and ends the process.
  ///
  /// A service that has flags of its own hands over the arguments behind a word of its choice:
  ///
  /// ```swift
  /// let arguments = CommandLine.arguments.dropFirst()
  /// if arguments.first == "recording" {
  ///   MillraceCommand.main(Shop.self, command: "shop recording", arguments: Array(arguments.dropFirst()))
  /// }
  /// ```
  ///
  /// Results go to standard output. An error is a sentence with the fix on standard error.
  ///
  /// - Parameters:
  ///   - interactor: the type whose actions, mutations and states were recorded, and whose reducer replays them; nothing else
  ///     of it is called.
  ///   - redaction: the redaction the recordings were taken with, if their reducer derives something from redacted values; a
  ///     replay and a page apply it to the states that mutations were reduced to before they are compared with recorded ones.
  ///   - command: the words that the user typed before the arguments, for messages; by default the name of the program.
  ///   - arguments: the words behind those; by default all arguments of the process.
  public static func main<I: Interactor>(
    _ interactor: I.Type, redaction: Redaction<I>? = nil, command: String? = nil,
    arguments: [String] = Array(CommandLine.arguments.dropFirst())
  ) -> Never where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
    let command = command ?? programName
    exit(RecordingCommands(command: command, recordings: ServiceRecordings<I>(redaction: redaction)).run(arguments))
  }

  /// Does what the command line asks for as far as no types are needed, and ends the process.
  ///
  /// - Parameter others: the commands of the program that the caller executes itself, for the help text.
  package static func main(command: String, arguments: [String], beside others: [Flags]) -> Never {
    exit(
      RecordingCommands(command: command, recordings: UntypedRecordings(command: command), others: others)
        .run(arguments))
  }

  static var programName: String {
    URL(filePath: CommandLine.arguments.first ?? "").lastPathComponent
  }
}
