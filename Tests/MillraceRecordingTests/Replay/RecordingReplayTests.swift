import Foundation
import Millrace
import MillraceEntries
import Testing

@testable import MillraceRecording

@Suite("Replay", .timeLimit(.minutes(1)))
struct RecordingReplayTests {
  /// A recording of `count` articles; the price of each is its number.
  static func recording(_ count: Int, checkpoint: Int) throws -> Recording<Till> {
    let ring = RingRecorder<Till>(initial: Till.State(), keeping: 10 * count, checkpoint: checkpoint)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [ring])
    for price in 1...count { store.send(.add("tea", price: price)) }
    return try Recording<Till>.read(from: ring.recording.jsonLines())
  }

  /// The same recording, read with the interactor whose reducer was changed.
  private static func ofGenerousTill(_ count: Int, checkpoint: Int) throws -> Recording<GenerousTill> {
    try Recording.read(from: recording(count, checkpoint: checkpoint).jsonLines())
  }

  @Test("A changed reducer is caught at the exact revision where states are recorded with each commit")
  func exact() throws {
    let report = try Self.ofGenerousTill(25, checkpoint: 1).replay()
    let divergence = try #require(report.divergence)
    #expect(divergence.revision == 10)
    #expect(divergence.recorded.total == 55)
    #expect(divergence.replayed.total == 45)
    #expect(
      report.description == """
        At revision 10 the state differs from what was recorded; at revision 9 it was the same. Mutation 10 is reduced \
        otherwise than when it was recorded. Recorded → replayed:
          total: 55 → 45
        """)
    #expect(!report.isSame)
    #expect(report.commits == 10)
  }

  @Test(
    "Where states are recorded now and then, the replay tells between which revisions it was", arguments: [4, 7, 9])
  func between(checkpoint: Int) throws {
    let report = try Self.ofGenerousTill(25, checkpoint: checkpoint).replay()
    let divergence = try #require(report.divergence)
    #expect(divergence.lastSame < 10)
    #expect(divergence.revision >= 10)
    #expect(divergence.revision == divergence.lastSame + checkpoint)
    #expect(divergence.difference.first?.hasPrefix("total: ") == true)
    #expect(
      report.description.contains(
        "A mutation of \(divergence.lastSame + 1) to \(divergence.revision) is reduced otherwise"))
  }

  @Test("The reducer that was recorded leads to the same states")
  func same() throws {
    let report = try Self.recording(25, checkpoint: 4).replay()
    #expect(report.isSame)
    #expect(report.description == "Replayed 25 commits up to revision 25; 6 recorded states are the same.")
  }

  @Test("A recording that is cut is replayed up to there, and the report says so")
  func cut() throws {
    let data = try Self.recording(25, checkpoint: 4).jsonLines().dropLast(5)
    let report = try Recording<Till>.read(from: data, acceptsCutEnd: true).replay()
    let line = data.split(separator: 0x0A).count
    #expect(
      report.description == """
        Replayed 25 commits up to revision 25; 6 recorded states are the same. The recording is cut in line \(line).
        """)
    let folder = try TemporaryFolder()
    try data.write(to: folder.file())
    let streamed = try Recording<Till>.replay(contentsOf: folder.file(), acceptsCutEnd: true)
    #expect(streamed.description == report.description)
    #expect(throws: RecordingError.self) { try Recording<Till>.replay(contentsOf: folder.file()) }
  }

  @Test("Commits that are out of order in a recording that was put together are an error")
  func order() throws {
    let whole = try Self.recording(3, checkpoint: 100)
    let broken = Recording<Till>(header: whole.header, start: whole.start, entries: Array(whole.entries.dropFirst(3)))
    let error = #expect(throws: RecordingError.self) { try broken.replay() }
    #expect(
      error?.description == """
        Line 3 commits revision 2, but the last commit before it has revision 0: lines are missing, or are in another order; \
        take the file as the recorder wrote it.
        """)
  }

  /// A bag of words, which are encoded in an order that is another one in each process.
  struct Bag: Interactor {
    struct Nothing: Codable, Sendable {}
    typealias State = Set<String>

    func handle(_ action: Nothing, state: Set<String>) -> Effect<Bag> { .none }

    static func reduce(into state: inout Set<String>, mutation: String) {
      state.insert(mutation)
    }
  }

  @Test("Sets whose elements are encoded in another order are the same, and with other elements they are not")
  func sets() throws {
    let words = (1...50).map { "word \($0)" }
    let run = RunID(store: 1, action: ActionID(number: 5))
    func report(_ encoded: [String]) throws -> ReplayReport<Set<String>> {
      let recording = Recording<Bag>(
        header: RecordingHeader(of: Bag.self, isRedacted: false),
        start: RecordedState(at: 0, revision: 0, state: []),
        entries: words.enumerated().map { index, word in
          .commit(RecordedCommit(at: 0, revision: index + 1, run: run, mutation: word))
        })
      let json = try JSON.encoder().encode(encoded)
      var lines = try recording.jsonLines()
      lines.append(
        Data(
          """
          {"kind":"state","at":0,"revision":50,"hash":"\(StateHash(ofJSON: json))","state":\(String(decoding: json, as: UTF8.self))}
          """.utf8))
      return try Recording<Bag>.read(from: lines).replay()
    }
    #expect(try report(words.reversed()).isSame)
    #expect(try report(words).isSame)
    #expect(
      try report(words.dropLast() + ["other"]).divergence?.difference == [#"removed "other""#, #"added "word 50""#])
  }

  @Test("A replay that could compare nothing says so, and is neither the same nor different")
  func nothingCompared() throws {
    let report = try Self.ofGenerousTill(2, checkpoint: 100).replay()
    #expect(report.verdict == .nothingCompared)
    #expect(!report.isSame)
    #expect(
      report.description == """
        Replayed 2 commits up to revision 2, but nothing was compared and nothing is proven: no state is recorded behind them. \
        End a recorder with finish(with: store.snapshot), or give it a smaller checkpoint.
        """)
    let empty = Recording<Till>(
      header: RecordingFormatTests.recording.header, start: RecordingFormatTests.recording.start, entries: [])
    #expect(try empty.replay().verdict == .nothingCompared)
    #expect(
      try empty.replay().description
        == "No commit was replayed, so nothing was compared and nothing is proven.")
    #expect(try Self.recording(25, checkpoint: 4).replay().verdict == .same)
    #expect(try Self.ofGenerousTill(25, checkpoint: 4).replay().verdict == .different)
  }

  @Test("Commits that are skipped at the end leave the revision at that of the state; a state behind them takes it on")
  func skippedAtTheEnd() throws {
    func commit(_ revision: Int) -> Recording<Till>.Entry {
      .commit(
        RecordedCommit(
          at: 0, revision: revision, run: RecordingFormatTests.run, mutation: .added("tea", price: revision)))
    }
    func report(_ entries: [Recording<Till>.Entry]) throws -> ReplayReport<Till.State> {
      try Recording<Till>(
        header: RecordingFormatTests.recording.header, start: RecordingFormatTests.recording.start, entries: entries
      ).replay()
    }
    let state = Till.State(total: 6, articles: ["tea", "tea", "tea"])
    let entries: [Recording<Till>.Entry] =
      [commit(1), commit(2), commit(3), .state(RecordedState(at: 0, revision: 3, state: state))]
      + [.gap(RecordedGap(at: 0, missed: 5)), commit(9)]
    let skipped = try report(entries)
    #expect(skipped.state == state)
    #expect(skipped.revision == 3)
    #expect(
      skipped.description == """
        Replayed 3 commits up to revision 3; 1 recorded state is the same. 1 commit behind gaps could not be replayed.
        """)
    let later: [Recording<Till>.Entry] = [.state(RecordedState(at: 0, revision: 9, state: Till.State(total: 45)))]
    let adopted = try report(entries + later)
    #expect(adopted.state.total == 45)
    #expect(adopted.revision == 9)
  }

  @Test("Two states of one revision that differ are no reducer's, and the second one proves nothing")
  func twoStates() throws {
    let start = RecordingFormatTests.recording.start
    func report(_ total: Int) throws -> ReplayReport<Till.State> {
      try Recording<Till>(
        header: RecordingFormatTests.recording.header, start: start,
        entries: [.state(RecordedState(at: 0, revision: 0, state: Till.State(total: total)))]
      ).replay()
    }
    #expect(try report(0).verdict == .nothingCompared)
    #expect(
      try report(3).description == """
        Two states are recorded of revision 0, and they differ though no mutation is between them: lines were changed, or put \
        together. Take the file as the recorder wrote it. The later → the earlier:
          total: 3 → 0
        """)
  }

  @Test("A replay of types of another name that leads to another state tells of the names")
  func otherTypes() throws {
    let data = String(decoding: try Self.recording(25, checkpoint: 1).jsonLines(), as: UTF8.self)
      .replacing("MillraceRecordingTests.Till", with: "Shop")
    let report = try Recording<GenerousTill>.read(from: Data(data.utf8)).replay()
    #expect(
      report.description.contains(
        """
        otherwise than when it was recorded. The recording is of (Shop.Action, Shop.Mutation, Shop.State), and was replayed with \
        \(BrokenFileTests.types): replay it with the types that it is of. Recorded → replayed:
        """))
  }

  @Test("A difference is shown without the characters that would steer a terminal")
  func steering() throws {
    let state = Till.State(articles: ["\u{1B}[31m\u{202E}tea"])
    let text = try #require(try EncodedDifference.lines(from: Till.State(), to: state)).joined()
    #expect(text.unicodeScalars.allSatisfy { !["\u{1B}", "\u{202E}"].contains($0) })
    #expect(text.contains("tea"))
  }
}
