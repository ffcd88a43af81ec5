import Foundation
import MillraceFlags
import MillraceRecording
import MillraceReport

/// The commands about a recording: what they are called, and what they do.
struct RecordingCommands<Source: Recordings> {
  /// The default number of actions and commits on a page.
  private static var rows: Int { 1_000 }

  let command: String
  let recordings: Source
  /// The commands of the program that are executed elsewhere.
  var others: [Flags] = []

  var commands: Subcommands {
    let file = Flags.Operand("FILE", example: "shop.jsonl", summary: "FILE is a recording; - reads standard input.")
    let cutEnd = Flag.toggle("--accept-cut-end", help: "read a file that a crash has cut in its last line up to there")
    return Subcommands(
      command: command, summary: Source.summary,
      exitCodes: [
        ExitCode(0, "it is done; a replay has led to the recorded states"),
        ExitCode(1, "a replay has led to another state"), .usage,
        ExitCode(65, "the file is broken, is no recording of these types, or has no state that a replay could compare"),
        ExitCode(66, "the file cannot be opened"), ExitCode(70, "a state cannot be encoded"), .noOutput,
      ],
      [
        Flags(command: "\(command) replay", summary: Source.replaySummary, operand: file, [cutEnd]),
        Flags(
          command: "\(command) report", summary: "Writes a page of HTML about a recording to standard output.",
          operand: file,
          [
            .integer(
              "--rows", example: "5000",
              help: "how many actions, and how many commits, are shown (default \(Self.rows))"),
            cutEnd,
          ]),
        Flags(
          command: "\(command) info", summary: "Tells what a recording is of, and how much is in it.", operand: file,
          [cutEnd]),
      ] + others)
  }

  /// Executes the command that the arguments ask for, and returns the exit code.
  ///
  /// A help text and a wrong command line end the process here.
  func run(_ arguments: [String]) -> Int32 {
    let (word, flags) = commands.parseOrExit(arguments)
    var file = RecordingFile(path: flags.operand, acceptsCutEnd: flags.isOn("--accept-cut-end"))
    let progress = ReadingProgress(of: file, line: .standardError)
    if let progress { file.progress = progress.read }
    let endOfReading = { () -> Void in progress?.end() }
    do {
      switch word {
      case "replay": return try replay(file, endOfReading)
      case "report": try report(file, rows: flags.integer("--rows") ?? Self.rows, endOfReading)
      default: try info(file, endOfReading)
      }
      return EXIT_SUCCESS
    } catch {
      endOfReading()
      return Self.report(CommandFailure(error))
    }
  }

  /// Writes a failure to standard error, and returns its exit code.
  private static func report(_ failure: CommandFailure) -> Int32 {
    StandardError.writeLine(failure.sentence)
    return failure.code
  }

  private func replay(_ file: RecordingFile, _ endOfReading: () -> Void) throws -> Int32 {
    let answer = try recordings.replay(file)
    endOfReading()
    switch answer {
    case .refused(let failure): return Self.report(failure)
    case .replayed(let text, .nothingCompared):
      // A build step that proves nothing must not pass.
      return Self.report(CommandFailure(text, code: EX_DATAERR))
    case .replayed(let text, let verdict):
      try StandardOutput.write(text + "\n")
      return verdict == .same ? EXIT_SUCCESS : EXIT_FAILURE
    }
  }

  private func report(_ file: RecordingFile, rows: Int, _ endOfReading: () -> Void) throws {
    let page = try recordings.page(of: file, rows: rows)
    endOfReading()
    var output = StandardOutput()
    try page.write { part throws(CommandFailure) in try output.add(part) }
    try output.flush()
  }

  private func info(_ file: RecordingFile, _ endOfReading: () -> Void) throws {
    let facts = try recordings.facts(of: file)
    endOfReading()
    let width = facts.lines.map(\.name.count).max() ?? 0
    let lines = facts.lines.map { name, text in
      name + String(repeating: " ", count: width - name.count) + "  " + text
    }
    try StandardOutput.write((lines + facts.notes).joined(separator: "\n") + "\n")
  }
}
