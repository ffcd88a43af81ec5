import Testing

@testable import Millrace

@Suite("LogCursor", .timeLimit(.minutes(1)))
struct LogCursorTests {
  @Test(
    "By its policy and its lag a cursor goes on, holds the store up, or parts",
    arguments: [
      (ObservationPolicy(.latest), 1, "goes on"), (ObservationPolicy(.latest), 2, "parts"),
      (ObservationPolicy(.every(buffer: 3)), 3, "goes on"), (ObservationPolicy(.every(buffer: 3)), 4, "parts"),
      (ObservationPolicy(.every(buffer: 0)), 1, "goes on"), (ObservationPolicy(.every(buffer: -1)), 2, "parts"),
      (.every(endsAt: 3), 3, "goes on"),
      (.every(endsAt: 3), 4, "The observer was 4 commits behind"),
      (.lossless(pausesAt: 3, endsAt: 5), 2, "goes on"), (.lossless(pausesAt: 3, endsAt: 5), 3, "holds to 5"),
      (.lossless(pausesAt: 3, endsAt: 5), 5, "holds to 5"),
      (.lossless(pausesAt: 3, endsAt: 5), 6, "The lossless observer was 6 commits behind"),
      (.lossless(pausesAt: 3, endsAt: 1), 3, "holds to 3"),
      (.lossless(pausesAt: 3, endsAt: 1), 4, "The lossless observer was 4 commits behind"),
      (.lossless(pausesAt: 0, endsAt: 0), 0, "goes on"), (.lossless(pausesAt: 0, endsAt: 0), 1, "holds to 1"),
    ] as [(ObservationPolicy<StoreError>, Int, String)])
  func judge(policy: ObservationPolicy<StoreError>, lag: Int, verdict: String) {
    let cursor = LogCursor<ClosureInteractor>(policy.terms, seeksCauses: false)
    #expect("\(cursor.judge(lag: lag).text)" == verdict)
    #expect((lag >= cursor.allowance) == (verdict != "goes on"))
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
    case .goesOn: "goes on"
    case .holds(let limit): "holds to \(limit)"
    case .parts(nil): "parts"
    case .parts(let error?): String(error.description.prefix { $0 != "," })
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
