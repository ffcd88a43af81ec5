import Foundation
import MillraceTerminal
import Testing

@testable import PulseService

#if os(Linux)
  @Suite("The live table, on a pseudo-terminal", .timeLimit(.minutes(2)))
  struct LiveTableTests {
    /// Both ends of a pseudo-terminal of this size.
    private func terminal(columns: UInt16, rows: UInt16) throws -> (FileHandle, FileHandle) {
      var user: Int32 = 0
      var program: Int32 = 0
      var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
      try #require(openpty(&user, &program, nil, nil, &size) == 0)
      return (FileHandle(fileDescriptor: user, closeOnDealloc: true), FileHandle(fileDescriptor: program))
    }

    @Test("The table fits the terminal, is redrawn in place, and gives the cursor back at the end")
    func redrawn() async throws {
      let (user, program) = try terminal(columns: 50, rows: 24)
      let pulse = try PulseProcess(
        ["--every", "0.05"], terminal: program, environment: ["LANG": "C.UTF-8", "TERM": "xterm"])
      try program.close()
      let first = try await pulse.text(from: user, through: Control.clearBelow)
      #expect(first.hasPrefix(Control.hideCursor + "\u{1B}[1mpulse\u{1B}[0m"))
      for line in first.replacing(/\u{1B}\[[?0-9]*[a-zA-Z]/, with: "").split(whereSeparator: \.isNewline) {
        #expect(Printable.columns(line) <= 50)
      }
      let second = try await pulse.text(from: user, through: Control.clearBelow)
      #expect(second.hasPrefix("\r\u{1B}[5A"))
      pulse.send(SIGTERM)
      let end = try await pulse.text(from: user, through: Control.showCursor)
      #expect(end.hasSuffix(Control.showCursor))
      #expect(await pulse.exitCode == 0)
    }

    @Test("A table that is stopped by Ctrl-Z gives the cursor back until the process continues")
    func stopped() async throws {
      let (user, program) = try terminal(columns: 50, rows: 24)
      let pulse = try PulseProcess(
        ["--every", "0.05"], terminal: program, environment: ["LANG": "C.UTF-8", "TERM": "xterm"])
      try program.close()
      _ = try await pulse.text(from: user, through: Control.clearBelow)
      pulse.send(SIGTSTP)
      _ = try await pulse.text(from: user, through: Control.showCursor)
      try await pulse.stopped()
      pulse.send(SIGCONT)
      _ = try await pulse.text(from: user, through: Control.hideCursor + Control.clearScreen)
      _ = try await pulse.text(from: user, through: Control.clearBelow)
      pulse.send(SIGTERM)
      _ = try await pulse.text(from: user, through: Control.showCursor)
      #expect(await pulse.exitCode == 0)
    }

    @Test("Without UTF-8 and with NO_COLOR the table is plain ASCII")
    func plain() async throws {
      let (user, program) = try terminal(columns: 80, rows: 24)
      let pulse = try PulseProcess(
        ["--every", "0.05"], terminal: program, environment: ["LANG": "C", "NO_COLOR": "1", "TERM": "xterm"])
      try program.close()
      let first = try await pulse.text(from: user, through: Control.clearBelow)
      #expect(first.utf8.allSatisfy { $0 < 128 })
      #expect(!first.contains("m\u{1B}") && !first.contains("\u{1B}[0m"))
      pulse.send(SIGINT)
      _ = try await pulse.text(from: user, through: Control.showCursor)
      #expect(await pulse.exitCode == 0)
    }

    @Test("On a terminal whose cursor cannot be moved, states are lines")
    func dumb() async throws {
      let (user, program) = try terminal(columns: 80, rows: 24)
      let pulse = try PulseProcess(["--every", "0.05"], terminal: program, environment: ["TERM": "dumb"])
      try program.close()
      let first = try await pulse.text(from: user, through: "\n")
      #expect(first.contains("  cpu ") && !first.contains("\u{1B}"))
      pulse.send(SIGTERM)
      #expect(await pulse.exitCode == 0)
    }
  }
#endif
