import Millrace
import Testing

@testable import MillraceReport

@Suite("Recording page")
struct RecordingPageTests {
  /// A page of `count` actions with one commit each, a microsecond apart; action n takes n nanoseconds.
  private func page(_ count: Int, rows: Int) -> RecordingPage {
    var page = RecordingPage(RecordingPage.Facts(name: "a & b", lines: [("State", "Array<Int>")]), rows: rows)
    for number in 1...count {
      let at = Int64(number) * 1_000
      page.take(
        .action(at: at, run: run(number), parent: nil, isAccepted: true, name: "add", text: "add(<\(number)>)"))
      page.take(
        .commit(at: at, revision: number, run: run(number), text: "added", difference: ["total: 0 → <\(number)>"]))
      page.take(.end(at: at + Int64(number), run: run(number), outcome: .finished))
    }
    return page
  }

  private func text(_ page: RecordingPage) -> String {
    var text = ""
    page.write { text += $0 }
    return text
  }

  private func rows(_ kind: String, in text: String) -> Int {
    text.components(of: "data-row=\"\(kind)\"")
  }

  @Test("Every action and commit has a row, and every text is escaped")
  func everything() {
    let text = text(page(30, rows: 30))
    #expect(rows("action", in: text) == 30)
    #expect(rows("commit", in: text) == 30)
    #expect(rows("latency-action", in: text) == 1)
    #expect(text.contains("<h1>Recording of a &amp; b</h1>"))
    #expect(text.contains("<dt>State</dt><dd>Array&lt;Int&gt;</dd>"))
    #expect(text.contains("<code>add(&lt;30&gt;)</code>"))
    #expect(text.contains("<pre>total: 0 → &lt;30&gt;</pre>"))
    #expect(!text.contains("Shown are"))
    #expect(text.hasSuffix("</body>\n</html>\n"))
  }

  @Test("Of what is too much the first is shown, and a sentence says how to see all; counts and latencies are of all")
  func limits() {
    let page = page(30, rows: 10)
    let text = text(page)
    #expect(!page.showsNextAction)
    #expect(!page.showsNextCommit)
    #expect(rows("action", in: text) == 10)
    #expect(rows("commit", in: text) == 10)
    #expect(text.contains("Shown are the first 10 of 30 actions; give --rows 30 to show all."))
    #expect(text.contains("Shown are the first 10 of 30 commits; give --rows 30 to show all."))
    #expect(
      text.contains(
        """
        <td><code>add</code></td><td class="number">30</td><td class="number">15 ns</td><td class="number">30 ns</td>\
        <td class="number">30 ns</td>
        """))
    #expect(text.contains("<dt>Commits</dt><dd>30, up to revision 30</dd>"))
  }

  @Test("States and gaps take no place of commits, and are bounded as these are")
  func linesBetween() {
    var page = RecordingPage(RecordingPage.Facts(name: "between", lines: []), rows: 3)
    for number in 1...5 {
      page.take(.gap(at: 0, missed: 1))
      page.take(.state(at: 0, revision: number, difference: ["x"]))
      page.take(.commit(at: 0, revision: number, run: run(number), text: "c", difference: nil))
    }
    let text = text(page)
    #expect(rows("commit", in: text) == 3)
    #expect(rows("gap", in: text) + rows("state", in: text) == 3)
    #expect(text.contains("Shown are the first 3 of 5 commits; give --rows 5 to show all."))
  }

  @Test("Runs that were open at a gap are not drawn as open behind it; one whose outcome comes has its latency")
  func openAtGap() {
    var page = RecordingPage(RecordingPage.Facts(name: "gaps", lines: []), rows: 10)
    for number in 1...4 {
      page.take(.action(at: 0, run: run(number), parent: nil, isAccepted: true, name: "open", text: "open"))
    }
    page.take(.gap(at: 1_000, missed: 2))
    page.take(.end(at: 2_000, run: run(1), outcome: .finished))
    page.take(.action(at: 3_000, run: run(5), parent: nil, isAccepted: true, name: "open", text: "open"))
    #expect(page.bands.filled.last?.lastOpen == 1)
    #expect(page.stillOpen == 4)
    #expect(page.actionTimes.rows.map(\.times.count) == [1])
  }

  @Test("Gap upon gap, a bounded number of runs is held that were open before; the others are not counted, and said so")
  func manyGaps() {
    var page = RecordingPage(RecordingPage.Facts(name: "gaps", lines: []), rows: 0)
    let half = RecordingPage.mostOpen / 2 + 1
    for number in 1...(2 * half) {
      page.take(.action(at: 0, run: run(number), parent: nil, isAccepted: true, name: "open", text: ""))
      if number % half == 0 { page.take(.gap(at: 0, missed: 1)) }
    }
    #expect(page.stillOpen == half)
    #expect(page.untimed == half)
  }

  @Test("The summary names actions that have no outcome, were rejected, are missing or came without their sender")
  func odds() {
    var page = RecordingPage(RecordingPage.Facts(name: "odds", lines: [], notes: ["It is <odd>."]), rows: 100)
    page.take(.action(at: 0, run: run(1), parent: nil, isAccepted: true, name: "open", text: "open"))
    page.take(.action(at: 1, run: run(2), parent: run(1), isAccepted: false, name: "late", text: "late"))
    page.take(.end(at: 1, run: run(2), outcome: .rejected))
    page.take(.action(at: 2, run: run(3), parent: run(9), isAccepted: true, name: "orphan", text: "orphan"))
    page.take(.step(at: 2, run: run(3), name: "<charge>", text: "<7>", isFailure: false))
    page.take(.step(at: 2, run: run(8), name: "ship", text: "<no>", isFailure: true))
    page.take(.end(at: 2, run: run(3), outcome: .failed, error: "<gone>"))
    page.take(.call(at: 3, took: 2, name: "price"))
    page.take(.gap(at: 4, missed: 3))
    page.take(.gap(at: 4, missed: 0))
    page.take(.commit(at: 5, revision: 7, run: run(8), text: "lost", difference: nil))
    page.take(.state(at: 5, revision: 7, difference: []))
    page.take(.state(at: 6, revision: 7, difference: nil))
    page.take(.end(at: 10, run: run(99), outcome: .finished))
    let text = text(page)
    #expect(text.contains("<p class=\"note\">It is &lt;odd&gt;.</p>"))
    #expect(text.contains("<dt>Actions</dt><dd>3, of them 1 rejected before they were accepted</dd>"))
    #expect(text.contains("<dt>Outcomes</dt><dd>finished 1, failed 1, rejected 1</dd>"))
    #expect(text.contains("<dt>Steps</dt><dd>2, of them 1 failed</dd>"))
    #expect(
      text.contains(
        """
        <td><a href="#run-3-1">#3@1</a></td><td class="faint">the step <code>&lt;charge&gt;</code> returned</td>\
        <td><code>&lt;7&gt;</code></td>
        """))
    #expect(
      text.contains(
        "<td>#8@1</td><td class=\"bad\">the step <code>ship</code> failed</td><td><code>&lt;no&gt;</code></td>"))
    #expect(text.contains("<td class=\"bad\">failed<br><span class=\"faint\">&lt;gone&gt;</span></td>"))
    #expect(text.contains("<dt>Gaps</dt><dd>2, with 3 entries that are known to be missing</dd>"))
    #expect(text.contains("Percentiles are at most 0.79 % off. 1 actions have no outcome in the recording."))
    #expect(text.contains("<span class=\"faint\"> sent by #9@1</span>"))
    #expect(text.contains("data-depth=\"1\" id=\"run-2-1\""))
    #expect(text.contains(">open</td>"))
    #expect(text.contains("3 entries are missing here"))
    #expect(text.contains("commits are missing here"))
    #expect(rows("gap", in: text) == 2)
    #expect(rows("state", in: text) == 1)
    #expect(rows("latency-call", in: text) == 1)
    // Rejected actions were never open, and one that is not known has no latency.
    #expect(rows("latency-action", in: text) == 1)
    #expect(text.contains("<td>#8@1</td><td><code>lost</code></td><td></td>"))
    #expect(text.contains("<span class=\"faint\">nothing differs</span>"))
  }

  @Test("A recording of nothing has a page too")
  func nothing() {
    let text = text(RecordingPage(RecordingPage.Facts(name: "nothing", lines: []), rows: 10))
    #expect(text.contains("Nothing happened in this recording."))
    #expect(!text.contains("data-row"))
  }

  @Test("Beyond 100 types of actions the others share a line")
  func names() {
    var times = NamedTimes()
    for number in 0..<150 { times.record(1, for: "action \(number)") }
    times.record(1, for: "action 0")
    #expect(times.rows.count == 101)
    #expect(times.rows.last?.name == "all others")
    #expect(times.rows.last?.times.count == 50)
    #expect(times.rows.first?.times.count == 2)
  }
}

extension String {
  /// The number of times `part` is contained in the text.
  fileprivate func components(of part: String) -> Int {
    ranges(of: part).count
  }
}
