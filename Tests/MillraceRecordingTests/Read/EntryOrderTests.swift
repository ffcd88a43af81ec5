import Testing

@testable import MillraceRecording

@Suite("Entry order")
struct EntryOrderTests {
  enum Event: Sendable {
    case commit(Int)
    case state(Int)
    case gap
  }

  @Test(
    "Commits follow each other, and jump behind a gap alone, where a state has to come",
    arguments: [
      ([.commit(4), .state(4), .commit(5)], [.follows, .follows, .follows]),
      ([.commit(5)], [.wrong]),
      ([.commit(3)], [.wrong]),
      ([.state(4)], [.wrong]),
      ([.state(3)], [.follows]),
      ([.gap, .commit(4), .commit(6)], [.follows, .wrong]),
      ([.gap, .commit(9), .state(9), .commit(10)], [.restarts, .restarts, .follows]),
      ([.gap, .commit(9), .commit(10), .state(10), .state(10)], [.restarts, .restarts, .restarts, .follows]),
      ([.gap, .commit(9), .commit(11)], [.restarts, .wrong]),
      ([.gap, .commit(3)], [.wrong]),
      ([.gap, .commit(9), .state(8)], [.restarts, .wrong]),
    ] as [([Event], [EntryOrder.Step])])
  func table(events: [Event], steps: [EntryOrder.Step]) {
    var order = EntryOrder(revision: 3)
    let seen: [EntryOrder.Step?] = events.map { event in
      switch event {
      case .commit(let revision): return order.commit(revision)
      case .state(let revision): return order.state(revision)
      case .gap:
        order.gap()
        return nil
      }
    }
    #expect(seen.compactMap { $0 } == steps)
  }
}
