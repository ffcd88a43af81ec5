#if Inspector && os(Linux)
  import Foundation
  import MillraceLoopback
  import MillraceTerminal
  import Testing

  @testable import PulseService

  @Suite("millrace top, on a pseudo-terminal, beside pulse", .timeLimit(.minutes(2)))
  struct LiveTopTests {
    /// A pulse whose probe of a target hangs, and the address of its inspector.
    private func pulse(_ target: LoopbackResponder) async throws -> (PulseProcess, address: String) {
      let pulse = try PulseProcess(["--json", "--every", "60", "--inspect", "0", "--watch", target.url("/slow")])
      let line = try await pulse.text(from: pulse.errors, through: "\n")
      return (pulse, String(line.dropLast(2).split(separator: " ").last ?? ""))
    }

    @Test("The list is live: a key filters it, and q gives the cursor and the terminal's modes back")
    func live() async throws {
      let target = try LoopbackResponder { _ in .hang }
      defer { target.stop() }
      let (pulse, address) = try await pulse(target)
      _ = try await pulse.text(from: pulse.output, through: "\n")
      let (person, terminal) = try openTerminal()
      let before = modes(of: terminal)
      let top = try top(address, on: terminal)
      _ = try await top.text(from: person, through: " open, ")
      let list = try await top.text(from: person, through: Control.clearBelow)
      #expect(list.contains("ACTION") && list.contains("  pulse  "))
      for line in list.replacing(/\u{1B}\[[?0-9]*[a-zA-Z]/, with: "").split(whereSeparator: \.isNewline) {
        #expect(Printable.columns(line) <= 80)
      }
      try person.write(contentsOf: Data("/nothing\n".utf8))
      _ = try await top.text(from: person, through: "filter: nothing  q quit")
      #expect(try await !top.text(from: person, through: Control.clearBelow).contains("  pulse  "))
      try person.write(contentsOf: Data("q".utf8))
      _ = try await top.text(from: person, through: Control.showCursor)
      #expect(await top.exitCode == 0)
      #expect(modes(of: terminal) == before)
      for handle in [person, terminal] { try handle.close() }
      pulse.send(SIGTERM)
      _ = await pulse.exitCode
    }

    @Test(
      "A stop by Ctrl-Z, and a second signal before the end, give the terminal's modes back",
      arguments: [SIGTSTP, SIGSTOP])
    func interrupted(stop: Int32) async throws {
      let target = try LoopbackResponder { _ in .hang }
      defer { target.stop() }
      let (pulse, address) = try await pulse(target)
      let (person, terminal) = try openTerminal()
      let before = modes(of: terminal)
      let top = try top(address, on: terminal)
      _ = try await top.text(from: person, through: Control.clearBelow)
      #expect(modes(of: terminal) != before)
      top.send(stop)
      try await top.stopped()
      // Of SIGSTOP the process learns nothing.
      #expect((modes(of: terminal) == before) == (stop == SIGTSTP))
      // Both are taken when the process continues, the second while the first one ends it.
      top.send(SIGINT)
      top.send(SIGTERM)
      top.send(SIGCONT)
      _ = await top.exitCode
      #expect(modes(of: terminal) == before)
      for handle in [person, terminal] { try handle.close() }
      pulse.send(SIGTERM)
      _ = await pulse.exitCode
    }

    private func openTerminal() throws -> (person: FileHandle, terminal: FileHandle) {
      var (user, program) = (Int32(0), Int32(0))
      var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
      try #require(openpty(&user, &program, nil, nil, &size) == 0)
      return (FileHandle(fileDescriptor: user), FileHandle(fileDescriptor: program))
    }

    private func modes(of terminal: FileHandle) -> tcflag_t {
      var modes = termios()
      tcgetattr(terminal.fileDescriptor, &modes)
      return modes.c_lflag
    }

    private func top(_ address: String, on terminal: FileHandle) throws -> PulseProcess {
      try PulseProcess(
        ["top", address, "--every", "0.05"], of: "millrace", terminal: terminal, keyboard: terminal,
        environment: ["LANG": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "1"])
    }

    @Test("In a pipe one list is printed, whole; without an answer a sentence says why, and the exit code is 69")
    func piped() async throws {
      let target = try LoopbackResponder { _ in .hang }
      defer { target.stop() }
      let (pulse, address) = try await pulse(target)
      _ = try await pulse.text(from: pulse.output, through: "\n")
      let top = try PulseProcess(["top", address], of: "millrace")
      let lines = try await top.rest(of: top.output).split(separator: "\n")
      #expect(lines.first?.hasSuffix("ACTION") == true && lines.count > 1)
      #expect(lines.allSatisfy { !$0.contains("\u{1B}") })
      #expect(await top.exitCode == 0)
      pulse.send(SIGTERM)
      _ = await pulse.exitCode
      let late = try PulseProcess(["top", address], of: "millrace")
      #expect(try await late.rest(of: late.errors).hasPrefix("\(address)/ does not answer: "))
      #expect(await late.exitCode == 69)
    }
  }
#endif
