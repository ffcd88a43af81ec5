import Testing

@testable import MillraceBenchmarks

@Suite("Check of thresholds")
struct ThresholdCheckTests {
  private let thresholds = Thresholds(["send": .init(ratio: 2, allocations: 6)])

  private func row(_ name: String = "send", _ gate: Gate = .near, reference: String? = "reference") -> Row {
    Row(name: name, reference: reference, gate: gate) { _ in Figure(value: 0) }
  }

  /// Figures whose ratios of processor times have this median, while their other ratios are 99.
  private func figures(_ ratio: Double?, _ allocations: Double?) -> Figures {
    var figures = Figures()
    for off in [-1, -0.5, 0, 1, 5] {
      figures.add(
        Figure(value: 99, cpu: ratio.map { $0 + off }), over: Figure(value: 1, cpu: ratio == nil ? nil : 1))
    }
    figures.allocations = allocations
    return figures
  }

  private static func ratioSentence(_ ratio: String) -> String {
    "send: the ratio of processor times is \(ratio), more than 15 % above its threshold of 2."
  }

  private static func allocationSentence(_ allocations: String) -> String {
    "send: the number of allocations an item is \(allocations), and its threshold is 6."
  }

  @Test("A median of the ratios of processor times may be 15 % above its threshold", arguments: [0.5, 2, 2.29])
  func ratioWithin(ratio: Double) {
    #expect(thresholds.failures(of: row(), figures(ratio, 6)) == [])
  }

  @Test("A ratio that is more than 15 % above its threshold fails with a sentence", arguments: [2.301, 50])
  func ratioAbove(ratio: Double) {
    #expect(thresholds.failures(of: row(), figures(ratio, 6)) == [Self.ratioSentence(rounded(ratio, digits: 3))])
  }

  @Test(
    "Allocations may differ by 0.1, or not at all where they are exact",
    arguments: [
      (Gate.near, 6.1, true), (.near, 5.9, true), (.near, 6.11, false), (.near, 5.89, false), (.allocations, 6.1, true),
      (.allocations, 6.2, false), (.exact, 6, true), (.exact, 6.001, false), (.exact, 5.999, false),
    ])
  func allocations(gate: Gate, allocations: Double, passes: Bool) {
    let failures = thresholds.failures(of: row("send", gate), figures(2, allocations))
    #expect(failures == (passes ? [] : [Self.allocationSentence(rounded(allocations, digits: 4))]))
  }

  @Test(
    "Only the figures that a gate names have thresholds",
    arguments: [
      (Gate.exact, [ratioSentence("3"), allocationSentence("7")]),
      (.near, [ratioSentence("3"), allocationSentence("7")]),
      (.allocations, [allocationSentence("7")]), (.severalThreads, []),
      (.latency, []), (.otherProcess, []), (.otherBuild, []),
    ])
  func gates(gate: Gate, failures: [String]) {
    let row = row("send", gate)
    #expect(thresholds.failures(of: row, figures(3, 7)) == failures)
    #expect(row.isGated == !failures.isEmpty)
    #expect((row.limit(figures(3, 7)) == nil) == failures.isEmpty)
  }

  @Test("A reference has no thresholds")
  func reference() {
    let row = row("send", .near, reference: nil)
    #expect(!row.isGated)
    #expect(thresholds.failures(of: row, figures(9, 9)) == [])
  }

  @Test("A figure that the run or the file does not have is not compared")
  func absentFigures() {
    #expect(thresholds.failures(of: row(), figures(nil, nil)) == [])
    #expect(Thresholds(["send": .init()]).failures(of: row(), figures(9, 9)) == [])
    #expect(thresholds.failures(of: row("other"), figures(9, 9)) == [])
  }

  @Test("Rows without a threshold, and thresholds without a row, are told in sentences")
  func unmatched() {
    let rows = [row(), row("new"), row("waits", .latency), row("idle")]
    let thresholds = Thresholds(["send": .init(ratio: 2), "old": .init(ratio: 1), "waits": .init(ratio: 1)])
    let measured = [
      (row: rows[0], figures: figures(2, 6)), (rows[1], figures(1, 1)), (rows[2], figures(1, 1)),
      (rows[3], figures(nil, nil)),
    ]
    #expect(
      thresholds.unmatched(measured, among: rows) == [
        "new has no threshold.", "The threshold of old has no row.",
        "The threshold of waits is not checked, because the figures of this row have none.",
      ])
    // A row that was left out of the run is no mistake in the file.
    #expect(thresholds.unmatched([measured[0]], among: [rows[0], row("old"), row("waits")]) == [])
  }

  @Test("Thresholds of a run have the figures of the gated rows")
  func made() {
    let rows = [row(), row("sum", .exact), row("some", .allocations), row("waits", .latency), row("idle")]
    let made = Thresholds(of: rows.map { ($0, $0.name == "idle" ? figures(nil, nil) : figures(3, 4)) })
    #expect(
      made
        == Thresholds([
          "send": .init(ratio: 3, allocations: 4), "sum": .init(ratio: 3, allocations: 4),
          "some": .init(allocations: 4),
        ]))
  }
}
