import Testing

@testable import MillraceTesting

@Suite("FakeLog")
struct FakeLogTests {
  private func log(_ size: FakeLogSize, _ count: Int) -> FakeLog<Int> {
    var log = FakeLog<Int>()
    log.keep(size)
    for number in 1...count { #expect(log.add(number * 10, at: .seconds(number), .replied) == number) }
    return log
  }

  @Test("All calls are kept, with number, request and times", arguments: [1, 7])
  func all(count: Int) {
    let log = log(.all, count)
    #expect(log.kept.map(\.number) == Array(1...count))
    #expect(log.kept.last?.request == count * 10)
    #expect(log.kept.last?.began == .seconds(count))
    #expect(log.kept.last?.ended == .seconds(count))
  }

  @Test("The newest are kept, and hardly more is held", arguments: [0, 1, 3, 100])
  func last(limit: Int) {
    var log = FakeLog<Int>()
    log.keep(.last(limit))
    var most = 0
    for number in 1...1_000 {
      _ = log.add(number, at: .zero, .replied)
      most = max(most, log.entries.count)
    }
    #expect(log.kept.map(\.number) == Array((1_001 - limit)..<1_001))
    #expect(most == max(2 * limit - 1, 0))
    #expect(log.count == 1_000)
  }

  @Test("None is kept, and calls are counted; a limit below 0 is none")
  func none() {
    #expect(log(.none, 5).kept.isEmpty)
    #expect(log(.none, 5).count == 5)
    #expect(log(.last(-1), 5).kept.isEmpty)
  }

  @Test("Keeping fewer drops the older ones, and keeping more begins with the next call")
  func sizeChanges() {
    var log = log(.all, 5)
    log.keep(.last(2))
    #expect(log.kept.map(\.number) == [4, 5])
    log.keep(.none)
    _ = log.add(60, at: .zero, nil)
    log.keep(.all)
    #expect(log.add(70, at: .zero, nil) == 7)
    #expect(log.kept.map(\.number) == [7])
  }

  @Test("A call is changed by its number as long as it is kept")
  func update() {
    var log = log(.all, 5)
    log.keep(.last(2))
    for number in [0, 3, 5, 6] { log.update(number) { $0.ended = .seconds(99) } }
    #expect(log.kept.map(\.ended) == [.seconds(4), .seconds(99)])
  }
}
