import Testing

@testable import MillraceBenchmarks

@Suite("Verdict")
struct VerdictTests {
  private let row = Row(name: "send", reference: "reference", target: 2) { _ in Figure(value: 0) }

  /// Figures with this ratio of times and of processor times.
  private func figures(_ ratio: Double) -> Figures {
    var figures = Figures()
    for _ in 0..<5 { figures.add(Figure(value: ratio, cpu: ratio), over: Figure(value: 1, cpu: 1)) }
    return figures
  }

  @Test("A missed ratio is told, and is a failure only of a run that checks it", arguments: [false, true])
  func missed(isChecked: Bool) {
    var verdict = Verdict(isChecked: isChecked)
    verdict.add(row, figures(2.1))
    #expect(verdict.sentences(among: [row]) == ["Missed the ratio to reach: send."])
    #expect(verdict.isFailure == isChecked)
  }

  @Test("A row beyond its threshold is a failure, whether the run checks ratios to reach or not")
  func beyond() {
    var verdict = Verdict(isChecked: false, thresholds: Thresholds(["send": .init(ratio: 1), "old": .init()]))
    verdict.add(row, figures(1.5))
    #expect(verdict.beyondThresholds == ["send"])
    #expect(verdict.isFailure)
    #expect(
      verdict.sentences(among: [row]) == [
        "The threshold of old has no row.",
        "send: the ratio of processor times is 1.5, more than 15 % above its threshold of 1.",
      ])
  }

  @Test("The second measurement of a row replaces the first")
  func again() {
    var verdict = Verdict(isChecked: true, thresholds: Thresholds(["send": .init(ratio: 1)]))
    verdict.add(row, figures(5))
    verdict.add(row, figures(1.1))
    #expect(verdict.measured.map(\.figures.ratios) == [Array(repeating: 1.1, count: 5)])
    #expect(verdict.beyondThresholds == [])
    #expect(!verdict.isFailure)
    #expect(verdict.sentences(among: [row]) == [])
  }
}
