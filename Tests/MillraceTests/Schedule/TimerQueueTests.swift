import MillraceTesting
import Testing

@testable import Millrace

/// A timer is a name here; letters and digits tell equal instants apart.
@Suite("TimerQueue")
struct TimerQueueTests {
  /// A timer queue, and the ids of its timers by name.
  private struct Fixture: ~Copyable {
    var queue = TimerQueue<String>()
    var ids: [String: Int32] = [:]

    mutating func apply(_ event: Event) -> String? {
      switch event {
      case .add(let name, let instant):
        ids[name] = queue.add(name, at: instant)
      case .cancel(let name):
        queue.cancel(&ids[name])
      case .pop(let now):
        let popped = queue.popDue(at: now)
        if let popped { ids[popped] = nil }
        return popped
      }
      return nil
    }
  }

  enum Event {
    case add(String, at: Instant)
    case cancel(String)
    case pop(at: Instant)
  }

  /// An event, the timer it has to return, and the count and the earliest instant that have to be left.
  private struct Step {
    let event: Event
    let popped: String?
    let count: Int
    let earliest: Instant?

    init(_ event: Event, _ popped: String? = nil, left count: Int, _ earliest: Instant?) {
      self.event = event
      self.popped = popped
      self.count = count
      self.earliest = earliest
    }
  }

  private func check(_ steps: [Step]) {
    var fixture = Fixture()
    for (index, step) in steps.enumerated() {
      #expect(fixture.apply(step.event) == step.popped, "step \(index): \(step.event)")
      #expect(fixture.queue.count == step.count, "step \(index): \(step.event)")
      #expect(fixture.queue.isEmpty == (step.count == 0), "step \(index): \(step.event)")
      let earliest = fixture.queue.earliest()
      #expect(earliest == step.earliest, "step \(index): \(step.event)")
      for (name, id) in fixture.ids { #expect(fixture.queue.instant(of: id) >= step.earliest ?? .max, "\(name)") }
    }
  }

  @Test("The earliest timer comes first, once it is due, and equal ones in the order they were added")
  func theEarliestComesFirst() {
    check([
      Step(.pop(at: 9), left: 0, nil),
      Step(.add("c", at: 3), left: 1, 3),
      Step(.add("b1", at: 2), left: 2, 2),
      Step(.add("a", at: 1), left: 3, 1),
      Step(.add("b2", at: 2), left: 4, 1),
      Step(.pop(at: 0), left: 4, 1),
      Step(.pop(at: 1), "a", left: 3, 2),
      Step(.pop(at: 1), left: 3, 2),
      Step(.pop(at: 9), "b1", left: 2, 2),
      Step(.pop(at: 9), "b2", left: 1, 3),
      Step(.pop(at: 9), "c", left: 0, nil),
    ])
  }

  @Test("A timer is taken out wherever it stands; to cancel it twice changes nothing")
  func aTimerIsTakenOut() {
    check([
      Step(.cancel("nowhere"), left: 0, nil),
      Step(.add("a", at: 1), left: 1, 1),
      Step(.add("b", at: 2), left: 2, 1),
      Step(.add("c", at: 3), left: 3, 1),
      Step(.add("d", at: 4), left: 4, 1),
      Step(.cancel("nowhere"), left: 4, 1),
      Step(.cancel("b"), left: 3, 1),
      Step(.cancel("b"), left: 3, 1),
      Step(.cancel("a"), left: 2, 3),
      Step(.cancel("d"), left: 1, 3),
      Step(.pop(at: 9), "c", left: 0, nil),
      Step(.cancel("c"), left: 0, nil),
    ])
  }

  @Test("An id is used again, for a timer that is the last of its instant")
  func anIDIsUsedAgain() {
    var queue = TimerQueue<String>()
    let first = queue.add("a", at: 1)
    _ = queue.add("b", at: 1)
    queue.remove(first)
    #expect(queue.add("c", at: 1) == first)
    #expect(queue.popDue(at: 1) == "b")
    #expect(queue.popDue(at: 1) == "c")
  }

  @Test("10,000 operations answer as a sorted list does", arguments: [1, 2, 3])
  func asASortedListDoes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = TimerQueue<Int>()
    var list: [(instant: Instant, purpose: Int, id: Int32)] = []
    for step in 0..<10_000 {
      // Grows for a while, then shrinks, so that memory is given back too.
      let grows = step / 1_000 % 2 == 0
      switch Int.random(in: 0..<9, using: &random) {
      case 0..<(grows ? 6 : 2):
        let instant = Instant.random(in: 0..<500, using: &random)
        let id = queue.add(step, at: instant)
        list.insert((instant, step, id), at: list.firstIndex { $0.instant > instant } ?? list.count)
      case 0..<8:
        guard let index = list.indices.randomElement(using: &random) else { continue }
        queue.remove(list.remove(at: index).id)
      default:
        let now = Instant.random(in: 0..<500, using: &random)
        let due = list.first.flatMap { $0.instant <= now ? $0.purpose : nil }
        if due != nil { list.removeFirst() }
        guard queue.popDue(at: now) == due else {
          Issue.record("step \(step): another timer than the first of the list")
          return
        }
      }
      // Not at each step, so that places of timers that were taken out stay for a while.
      let earliest = step % 100 == 0 ? queue.earliest() : list.first?.instant
      guard queue.count == list.count, earliest == list.first?.instant else {
        Issue.record("step \(step): \(queue.count) timers, \(list.count) in the list")
        return
      }
    }
    for timer in list { #expect(queue.popDue(at: .max) == timer.purpose) }
    #expect(queue.count == 0)
  }
}
