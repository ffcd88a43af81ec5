import Millrace
import MillraceTesting
import Testing

@testable import MillraceRecording

@Suite("Cursor", .timeLimit(.minutes(1)))
struct RecordingCursorTests {
  /// The sum of the prices 1 to n, which the total is at revision n.
  private func total(_ revision: Int) -> Int { revision * (revision + 1) / 2 }

  @Test("It goes to any revision from any other one, with few states recorded or many", arguments: [1, 7, 100])
  func goes(checkpoint: Int) throws {
    var cursor = try RecordingCursor(RecordingReplayTests.recording(40, checkpoint: checkpoint))
    #expect(cursor.revisions == 0...40)
    #expect(cursor.revision == 0)
    #expect(cursor.commit?.revision == nil)
    #expect(cursor.action?.run == nil)
    for revision in [40, 1, 20, 21, 14, 13, 39, 0, 8, 8, 7] {
      try cursor.go(to: revision)
      #expect(cursor.revision == revision)
      #expect(cursor.state.total == total(revision))
      #expect(cursor.state.articles.count == revision)
      #expect(cursor.commit?.mutation == (revision == 0 ? nil : .added("tea", price: revision)))
      #expect(cursor.action?.action == (revision == 0 ? nil : .add("tea", price: revision)))
    }
  }

  @Test("It steps to both ends and stays there")
  func steps() throws {
    var cursor = try RecordingCursor(RecordingReplayTests.recording(10, checkpoint: 3))
    #expect(stepBack(&cursor) == false)
    var seen: [Int] = []
    while cursor.step() { seen.append(cursor.state.total) }
    #expect(seen == (1...10).map(total))
    #expect(cursor.revision == 10)
    while cursor.stepBack() { seen.append(cursor.state.total) }
    #expect(seen == (1...10).map(total) + (0...9).reversed().map(total))
  }

  private func stepBack(_ cursor: inout RecordingCursor<Till>) -> Bool { cursor.stepBack() }

  @Test("A copy goes its own way")
  func copies() throws {
    var cursor = try RecordingCursor(RecordingReplayTests.recording(10, checkpoint: 3))
    let start = cursor
    try cursor.go(to: 5)
    #expect(start.revision == 0)
    #expect(start.state.total == 0)
  }

  /// Revisions 1 to 2 and 6 to 7, with a gap between.
  func withGap() throws -> Recording<Till> {
    let whole = try RecordingReplayTests.recording(7, checkpoint: 100)
    let commits = whole.entries.filter { if case .commit = $0 { true } else { false } }
    let state = RecordedState(
      at: 0, revision: 6, state: Till.State(total: total(6), articles: Array(repeating: "tea", count: 6)))
    let gap: [Recording<Till>.Entry] = [.gap(RecordedGap(at: 0, missed: 9)), commits[5], .state(state), commits[6]]
    return Recording<Till>(header: whole.header, start: whole.start, entries: commits[..<2] + gap)
  }

  @Test("The cursor refuses to go to a revision that is not there, and stays")
  func notRecorded() throws {
    var cursor = try RecordingCursor(withGap())
    try cursor.go(to: 1)
    for (revision, message) in [
      (8, "Revision 8 is not in the recording; go to one of 0 to 7."),
      (-1, "Revision -1 is not in the recording; go to one of 0 to 7."),
      (4, "Revision 4 is in a gap of the recording; the nearest ones to go to are 2 and 6."),
    ] {
      let error = #expect(throws: RecordingError.self) { try cursor.go(to: revision) }
      #expect(error?.description == message)
      #expect(error?.code == .notRecorded)
      #expect(cursor.revision == 1)
    }
  }

  @Test("It steps over a gap, and continues from the state behind it")
  func gap() throws {
    var cursor = try RecordingCursor(withGap())
    var seen: [String] = []
    while cursor.step() { seen.append("\(cursor.revision): \(cursor.state.total)") }
    #expect(seen == ["1: 1", "2: 3", "6: 21", "7: 28"])
    try cursor.go(to: 6)
    #expect(cursor.commit?.mutation == .added("tea", price: 6))
  }

  @Test("Commits that are out of order are an error with the line")
  func order() throws {
    let whole = try RecordingReplayTests.recording(3, checkpoint: 100)
    let broken = Recording<Till>(header: whole.header, start: whole.start, entries: Array(whole.entries.dropFirst(3)))
    let error = #expect(throws: RecordingError.self) { try RecordingCursor(broken) }
    #expect(error?.line == 3)
    #expect(error?.code == .wrongOrder)
  }
}
