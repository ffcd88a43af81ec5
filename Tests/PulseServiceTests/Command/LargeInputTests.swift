import Foundation
import Millrace
import MillraceFlags
import MillraceRecording
import MillraceTerminal
import Testing

@testable import PulseService

/// A word of 10,000 characters in a broken rules file stopped the recording, by a regular expression in quadratic time.
///
/// Reading a megabyte in quadratic time takes longer than the limit of this suite by far.
@Suite("Readers of pulse, each with a megabyte", .timeLimit(.minutes(2)))
struct LargeInputTests {
  private static let size = 1 << 20

  /// A megabyte of a word.
  private static func repeated(_ word: String) -> String { String(repeating: word, count: size / word.utf8.count) }

  private func options(_ arguments: [String]) throws -> Options {
    try Options(try Options.flags.parse(arguments))
  }

  @Test(
    "An argument is read, or refused in a sentence of a few words",
    arguments: [
      ("--alert", "", "x", ""), ("--alert", "cpu > ", "1", ""), ("--alert", "cpu > 1", " ", "for"),
      ("--alert", "http://a/", "://", " down"), ("--alert", "", "e\u{301}", ""), ("--watch", "http://a/", "x", ""),
      ("--watch", "http://", "u:p@", "a b"), ("--notify", "http://a/?", "\"", ""), ("--notify", "", "\u{202E}", ""),
    ])
  func argument(flag: String, beginning: String, word: String, end: String) {
    do throws(FlagError) {
      let text = beginning + Self.repeated(word) + end
      _ = try Options(try Options.flags.parse(["--alert", "load > 1", "\(flag)=\(text)"]))
    } catch {
      #expect(error.message.utf8.count < 20_000)
    }
  }

  @Test("A rules file is refused in a sentence of a few words", arguments: ["x", "://", "\u{202E}"])
  func rulesFile(word: String) throws {
    let text = Self.repeated(word)
    for data in [Data(text.utf8), try JSONEncoder().encode(["load > 1", text])] {
      let error = #expect(throws: RulesFileError.self) { try RulesFile.rules(in: data, about: TargetNames([])) }
      #expect(error.map { $0.description.utf8.count < 20_000 } == true)
    }
  }

  @Test("Many targets, webhooks and rules become the options and the first state, and rules are replaced")
  func many() throws {
    let count = 5_000
    let urls = (1...count).map { "http://u:p@a/\($0)?k=\($0 % 2)" }
    var arguments = urls.flatMap { ["--watch=\($0)", "--notify=\($0)"] }
    arguments += (1...count).map { "--alert=load > \($0)" } + urls.map { "--alert=\($0) down" }
    let plan = try options(arguments + arguments).plan
    #expect(plan.endpoints.count == count && plan.webhooks.count == count && plan.rules.count == 4 * count)
    #expect(Set(plan.webhooks.map(\.name)).count == count)
    var state = plan.initialState
    #expect(state.alerts.count == count)
    state.apply(.rulesRead(plan.rules.reversed()))
    #expect(state.rules.count == 2 * count && state.alerts.count == count)
    state.apply(.probed(plan.endpoints[count - 1], .down(reason: "no"), at: .seconds(1)))
    #expect(state.alerts.last?.subject == "http://…@a/\(count)?…")
  }

  @Test("A file that the kernel writes is refused")
  func proc() {
    #expect(throws: ProcTextError.self) { try ProcText.cpuTicks("cpu " + Self.repeated("x ")) }
    #expect(throws: ProcTextError.self) { try ProcText.memory(Self.repeated("MemTotal\n")) }
    #expect(throws: ProcTextError.self) { try ProcText.loadAverage(Self.repeated("1")) }
    #expect(throws: ProcTextError.self) { try ProcText.uptime(Self.repeated("1")) }
  }

  @Test("A reason is shown and recorded")
  func reasons() throws {
    let reason = Self.repeated("x://y ")
    var state = PulseState(rules: [try AlertRule("target down")], webhooks: [.chat], historyLimit: 2)
    for mutation: PulseMutation in [.rulesKept(reason: reason), .probed(.web, .down(reason: reason), at: .zero)] {
      state.apply(PulseRedaction.withoutSecrets.mutation(mutation))
    }
    let snapshot = Snapshot(revision: 2, state: PulseRedaction.withoutSecrets.state(state))
    #expect(LinePresentation().text(snapshot).utf8.count > Self.size - 10)
    #expect(JSONPresentation().text(snapshot).utf8.count > Self.size - 10)
    let terminal = Terminal(isASCII: false, isColored: false) { Terminal.Size(columns: 80, rows: 24) }
    var table = TablePresentation(terminal: terminal, isLive: true)
    #expect(!table.text(snapshot).isEmpty)
  }

  @Test("A recording with a megabyte of state is read")
  func recording() throws {
    var state = PulseState(historyLimit: 1 << 17)
    for number in 1...(1 << 16) { state.series[.load]?.append(Double(number)) }
    let header = RecordingHeader(of: PulseMonitor.self, isRedacted: true)
    let start = RecordedState(at: 0, revision: 0, state: state)
    let recording = Recording<PulseMonitor>(header: header, start: start, entries: [])
    let lines = try recording.jsonLines()
    #expect(try Recording<PulseMonitor>.read(from: lines).start.state == state)
  }
}
