import MillraceInspector
import MillraceTerminal
import Testing

@testable import MillraceTop

@Suite("millrace top, its table")
struct TopTableTests {
  private let table = TopTable(of: "http://a:1", isASCII: true)

  private func lines(_ state: TopState, columns: Int = 80, rows: Int = 24) -> [String] {
    table.rows(state, atMost: rows - 1).map {
      $0.fitted(to: columns, mark: table.mark).text(isColored: false)
    }
  }

  private func state(_ runs: [ShownRun], unanswered: [String] = []) -> TopState {
    var state = TopState()
    state.document = RunsDocument(runs: runs, unanswered: unanswered)
    return state
  }

  @Test("A run is a line with its age, store, plan, attempt, stage and action; a stuck one is marked")
  func run() {
    let state = state([
      .sample("orders", id: "1", action: "pay(7)", age: 62.9, stuck: true, plan: "charge", attempt: 2, deaths: 1),
      .sample("a-store-with-a-long-name", id: "2", action: nil, age: nil),
    ])
    #expect(
      lines(state) == [
        "millrace top  http://a:1  2 open, 1 stuck", "s order: stuck  / filter  q quit",
        "    AGE  STORE         PLAN    TRY  DOING  ACTION",
        "!   62s  orders        charge  2+1  reads  pay(7)",
        "      -  a-store-wit~  -         1  reads  cannot be decoded",
      ])
  }

  @Test("Before the first list, after a failure, and beside stores that do not answer, the table says so")
  func words() {
    #expect(lines(TopState())[0] == "millrace top  http://a:1  no list yet")
    var failed = state([], unanswered: ["carts", "orders"])
    failed.failure = RunsFailure("It is away.")
    failed.press(.letter("/"))
    failed.press(.letter("x"))
    #expect(
      lines(failed)[1...3] == [
        "s order: stuck  / filter: x_  q quit", "It is away.", "no answer in time from: carts, orders",
      ])
  }

  @Test("The table fits a terminal of 80 columns and 24 rows, with the stuck runs; a filter says how many it leaves")
  func fits() {
    let runs = (1...100).map {
      ShownRun.sample("orders", id: "\($0)", action: String(repeating: "x", count: 200), age: 100, stuck: $0 == 1)
    }
    let shown = lines(state(runs))
    #expect(shown.count == 23 && shown.allSatisfy { $0.count <= 80 })
    #expect(shown.last == "~ 81 more lines" && shown.contains { $0.hasPrefix("!") })
    var filtered = state(runs)
    filtered.filter = "stuck"
    #expect(lines(filtered)[0] == "millrace top  http://a:1  100 open, 1 stuck, 1 shown")
  }

  @Test("A listing for a pipe cuts nothing, and replaces what steers a terminal")
  func listing() {
    let rows = table.listing(state([.sample("a-store-with-a-long-name", id: "1", action: "a\u{1B}[2J")]))
    #expect(rows[1].text(isColored: false).hasPrefix("     1s  a-store-with-a-long-name  -       1  reads  a?[2J"))
  }

  @Test(
    "An age is a number in its largest unit",
    arguments: [
      (nil, "-"), (0.95, "950ms"), (1, "1s"), (119.9, "119s"), (120, "2m"), (7199, "119m"), (7200, "2h"),
      (172_799, "47h"), (172_800, "2d"), (1e300, "99999d"),
    ] as [(Double?, String)])
  func age(seconds: Double?, text: String) {
    #expect(TopTable.age(seconds) == text)
  }
}
