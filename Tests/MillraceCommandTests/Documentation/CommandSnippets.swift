import Millrace
// snippet.imports
import MillraceCommand
// snippet.end
import MillraceJournal
import Testing

/// The snippets of docs/recordings.md and docs/the-journal-command.md that are about commands, as they stand there.
@Suite("Command snippets", .timeLimit(.minutes(1)))
struct CommandSnippets {
  struct Records: Interactor {
    enum Action: Codable, Sendable { case clear }
    enum Mutation: Codable, Sendable { case cleared }
    struct State: Codable, Sendable {}

    func decide(_ action: Action, state: State) -> Decision<Mutation> { .mutate(.cleared) }
    static func reduce(into state: inout State, mutation: Mutation) {}
  }

  /// A `main.swift`.
  static func command() -> Never {
    // snippet.main
    MillraceCommand.main(Records.self)
    // snippet.end
  }

  /// A `main.swift` of a service whose stores have journals.
  static func journalCommand(options: JournalOptions = JournalOptions()) async -> Never {
    // snippet.journal
    await MillraceCommand.main(Records.self, initial: Records.State(), options: options)
    // snippet.end
  }

  /// The beginning of one that has flags of its own.
  static func withOthers(arguments: ArraySlice<String>) {
    // snippet.arguments
    if arguments.first == "recording" {
      MillraceCommand.main(Records.self, command: "records recording", arguments: Array(arguments.dropFirst()))
    }
    // snippet.end
  }

  @Test("A command of one line ends the process, here for the arguments of the tests are none of its own")
  func line() async {
    await #expect(processExitsWith: .exitCode(64)) { Self.command() }
    await #expect(processExitsWith: .exitCode(64)) { await Self.journalCommand() }
  }

  @Test("Behind a word of the service's choice the arguments are those of the command, and it is called what it is")
  func others() async throws {
    Self.withOthers(arguments: ["--port", "80"])
    let help = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
      Self.withOthers(arguments: ["recording", "--help"])
    }
    #expect(
      String(decoding: help.standardOutputContent, as: UTF8.self).contains("Usage: records recording COMMAND ...\n"))
    let wrong = try await #require(processExitsWith: .exitCode(64), observing: [\.standardErrorContent]) {
      Self.withOthers(arguments: ["recording", "replay"])
    }
    #expect(
      String(decoding: wrong.standardErrorContent, as: UTF8.self).contains(
        "records recording replay needs a FILE, but was given none; write for example records recording replay shop.jsonl.\n"
      ))
  }
}
