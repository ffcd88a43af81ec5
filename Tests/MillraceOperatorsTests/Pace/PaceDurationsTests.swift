import MillraceOperators
import Testing

/// Durations of any length and sign, which the pace of a sequence takes.
@Suite("Durations of operators", .timeLimit(.minutes(1)))
struct PaceDurationsTests {
  @Test(
    "Debounce and throttle take every duration",
    arguments: [
      Duration.seconds(Int64.max), .seconds(Int64.min), Duration(attoseconds: .max), Duration(attoseconds: .min),
      .seconds(-1), .zero,
    ])
  func pace(_ time: Duration) async {
    func elements() -> AsyncStream<Int> {
      AsyncStream { continuation in
        for number in 1...3 { continuation.yield(number) }
        continuation.finish()
      }
    }
    var last: [Int?] = []
    for await element in elements().debounce(for: time) { last.append(element) }
    #expect(last.last == 3)
    for latest in [true, false] {
      var first: [Int] = []
      for await element in elements().throttle(for: time, latest: latest) { first.append(element) }
      #expect(first.first == 1)
    }
  }
}
