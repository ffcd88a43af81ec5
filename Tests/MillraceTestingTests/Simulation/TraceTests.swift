import Testing

@testable import MillraceTesting

@Suite("Trace")
struct TraceTests {
  @Test("A trace keeps its first 100,000 events")
  func mostEvents() {
    var trace = Trace()
    for number in 1...100_001 {
      trace.add("event \(number)", at: .zero, by: .world)
      if number == 99_999 { #expect(trace.lines.count == 1 + 99_999) }
    }
    // The first line is the time.
    #expect(trace.lines.count == 1 + 100_000)
    #expect(trace.lines.last == "  event 100000")
  }

  @Test("An event names up to six tasks", arguments: [5, 6, 7])
  func namedTasks(count: Int) {
    var trace = Trace()
    trace.names = (0..<count).map { "t\($0)" }
    trace.add("ready: ", Array(0..<count), at: .zero, by: .world)
    let named = (0..<min(count, 6)).map { "t\($0)" }.joined(separator: ", ")
    #expect(trace.lines.last == "  ready: \(named)\(count > 6 ? ", …" : "")")
  }
}
