import Testing

@testable import Millrace

@Suite("LogCursor", .timeLimit(.minutes(1)))
struct LogCursorTests {
  @Test(
    "By its policy and its lag a cursor keeps up, applies backpressure, or disconnects",
    arguments: [
      (ObservationPolicy(.latest), 1, "keeps up"), (ObservationPolicy(.latest), 2, "disconnects"),
      (ObservationPolicy(.every(buffer: 3)), 3, "keeps up"), (ObservationPolicy(.every(buffer: 3)), 4, "disconnects"),
      (ObservationPolicy(.every(buffer: 0)), 1, "keeps up"), (ObservationPolicy(.every(buffer: -1)), 2, "disconnects"),
      (.every(endsAt: 3), 3, "keeps up"),
      (.every(endsAt: 3), 4, "The observer was 4 commits behind"),
      (.lossless(pausesAt: 3, endsAt: 5), 2, "keeps up"),
      (.lossless(pausesAt: 3, endsAt: 5), 3, "applies backpressure to 5"),
      (.lossless(pausesAt: 3, endsAt: 5), 5, "applies backpressure to 5"),
      (.lossless(pausesAt: 3, endsAt: 5), 6, "The lossless observer was 6 commits behind"),
      (.lossless(pausesAt: 3, endsAt: 1), 3, "applies backpressure to 3"),
      (.lossless(pausesAt: 3, endsAt: 1), 4, "The lossless observer was 4 commits behind"),
      (.lossless(pausesAt: 0, endsAt: 0), 0, "keeps up"),
      (.lossless(pausesAt: 0, endsAt: 0), 1, "applies backpressure to 1"),
    ] as [(ObservationPolicy<StoreError>, Int, String)])
  func judge(policy: ObservationPolicy<StoreError>, lag: Int, verdict: String) {
    let cursor = LogCursor<ClosureInteractor>(policy.terms, seeksCauses: false)
    #expect("\(cursor.judge(lag: lag).text)" == verdict)
    #expect((lag >= cursor.allowance) == (verdict != "keeps up"))
  }

  @Test("A cursor takes what is left of its chunk, then chunk by chunk, then nothing")
  func take() {
    let (first, second) = (LogChunk<Ticks>(), LogChunk<Ticks>())
    first.entries = [1, 2, 3].map(LogEntry.number)
    second.entries = [4].map(LogEntry.number)
    let cursor = LogCursor<Ticks>(ObservationPolicy<Never>.every().terms, seeksCauses: false)
    #expect(cursor.taken == [])
    cursor.position = (first, 1)
    #expect(cursor.taken == [2, 3])
    #expect(cursor.taken == [])
    first.next = second
    #expect(cursor.taken == [4])
    second.entries.append(.number(5))
    #expect(cursor.taken == [5])
    #expect(cursor.position?.chunk === second)
  }
}

extension LogCursor.Verdict {
  /// The verdict in a few words.
  var text: String {
    switch self {
    case .keepsUp: "keeps up"
    case .appliesBackpressure(let limit): "applies backpressure to \(limit)"
    case .disconnects(nil): "disconnects"
    case .disconnects(let error?): String(error.description.prefix { $0 != "," })
    }
  }
}

extension LogEntry where I == Ticks {
  static func number(_ number: Int) -> LogEntry { LogEntry(mutation: .added(number), cause: nil) }

  var number: Int {
    if case .added(let number) = mutation { number } else { 0 }
  }
}

extension LogCursor where I == Ticks {
  /// The numbers that it takes at once.
  fileprivate var taken: [Int] {
    var batch: [LogEntry<Ticks>] = []
    take(into: &batch)
    return batch.map(\.number)
  }
}
