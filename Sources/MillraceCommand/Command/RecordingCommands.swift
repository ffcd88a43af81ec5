import Foundation
import MillraceFlags
import MillraceRecording
import MillraceReport

/// The commands about a recording: what they are called, and what they do.
struct RecordingCommands<Source: Recordings> {
  /// How many actions and commits a page shows where nothing else is said.
  private static var rows: Int { 1_000 }

  /// From here on a terminal is told what takes so long, in bytes.
  private static var large: Int { 32 << 20 }

  let command: String
  let recordings: Source

  var commands: Subcommands {
    let file = Operand("FILE", example: "shop.jsonl")
    let cutEnd = Flag.toggle("--accept-cut-end", help: "read a file that a crash has cut in its last line up to there")
    return Subcommands(
      command: command, summary: Source.summary,
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
      ])
  }

  /// Does what the arguments ask for, and ends the process.
  func run(_ arguments: [String]) -> Never {
    let (word, flags) = commands.parseOrExit(arguments)
    let file = RecordingFile(path: flags.operand, acceptsCutEnd: flags.isOn("--accept-cut-end"))
    exit(code(of: word, flags, file))
  }

  /// Does what one command asks for, and gives the exit code.
  private func code(of word: String, _ flags: ParsedFlags, _ file: RecordingFile) -> Int32 {
    if word != "replay" || Source.canReplay { tellOfLarge(file) }
    do {
      switch word {
      case "replay": return try replay(file)
      case "report": try report(file, rows: flags.integer("--rows") ?? Self.rows)
      default: try info(file)
      }
      return EXIT_SUCCESS
    } catch {
      let failure = CommandFailure(error)
      Self.complain(failure.sentence)
      return failure.code
    }
  }

  private func replay(_ file: RecordingFile) throws -> Int32 {
    let result = try recordings.replay(file)
    try StandardOutput.write(result.text + "\n")
    return result.isSame ? EXIT_SUCCESS : EXIT_FAILURE
  }

  private func report(_ file: RecordingFile, rows: Int) throws {
    let page = try recordings.page(of: file, rows: rows)
    var output = StandardOutput()
    try page.write { part throws(CommandFailure) in try output.add(part) }
    try output.flush()
  }

  private func info(_ file: RecordingFile) throws {
    let facts = try recordings.facts(of: file)
    let width = facts.lines.map(\.name.count).max() ?? 0
    let lines = facts.lines.map { name, text in
      name + String(repeating: " ", count: width - name.count) + "  " + text
    }
    try StandardOutput.write((lines + facts.notes).joined(separator: "\n") + "\n")
  }

  /// Says on a terminal that a large file takes its time.
  private func tellOfLarge(_ file: RecordingFile) {
    guard isatty(STDERR_FILENO) == 1, let size = file.size, size >= Self.large else { return }
    Self.complain("Reading \(file.path), \(size >> 20) MiB.")
  }

  private static func complain(_ sentence: String) {
    // Where that fails too, there is nobody to tell.
    try? FileHandle.standardError.write(contentsOf: Data((sentence + "\n").utf8))
  }
}
