import MillraceTesting
import Testing

@testable import Millrace

/// A timer is a name here: its instant, and a letter that tells equal ones apart.
@Suite("TimerQueue")
struct TimerQueueTests {
  /// A timer queue and its timers by name.
  private struct Fixture {
    var queue = TimerQueue()
    var timers: [String: Timer] = [:]

    func name(of timer: Timer?) -> String? {
      timers.first { $0.value === timer }?.key
    }

    mutating func apply(_ event: Event) -> String? {
      switch event {
      case .add(let name, let instant):
        let timer = timers[name] ?? Timer(at: instant) {}
        timers[name] = timer
        queue.add(timer)
      case .remove(let name):
        queue.remove(timers[name] ?? Timer(at: 0) {})
      case .removeAll:
        queue.removeAll()
      case .pop(let now):
        return name(of: queue.popDue(at: now))
      }
      return nil
    }
  }

  enum Event {
    case add(String, at: Instant)
    case remove(String)
    case removeAll
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
      #expect(fixture.queue.earliest == step.earliest, "step \(index): \(step.event)")
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

  @Test("A timer is taken out wherever it stands; one that does not stand there changes nothing")
  func aDeadlineIsTakenOut() {
    check([
      Step(.remove("nowhere"), left: 0, nil),
      Step(.add("a", at: 1), left: 1, 1),
      Step(.add("b", at: 2), left: 2, 1),
      Step(.add("c", at: 3), left: 3, 1),
      Step(.add("d", at: 4), left: 4, 1),
      Step(.remove("nowhere"), left: 4, 1),
      Step(.remove("b"), left: 3, 1),
      Step(.remove("b"), left: 3, 1),
      Step(.remove("a"), left: 2, 3),
      Step(.remove("d"), left: 1, 3),
      Step(.pop(at: 9), "c", left: 0, nil),
      Step(.remove("c"), left: 0, nil),
    ])
  }

  @Test("A timer stands there once; one that was taken out may come again, and is then the last of its instant")
  func aDeadlineStandsOnce() {
    check([
      Step(.add("a", at: 1), left: 1, 1),
      Step(.add("a", at: 1), left: 1, 1),
      Step(.add("b", at: 1), left: 2, 1),
      Step(.remove("a"), left: 1, 1),
      Step(.add("a", at: 1), left: 2, 1),
      Step(.pop(at: 1), "b", left: 1, 1),
      Step(.pop(at: 1), "a", left: 0, nil),
    ])
  }

  @Test("All are taken out at once, and may come again")
  func allAreTakenOut() {
    check([
      Step(.add("a", at: 1), left: 1, 1),
      Step(.add("b", at: 2), left: 2, 1),
      Step(.removeAll, left: 0, nil),
      Step(.remove("a"), left: 0, nil),
      Step(.add("b", at: 2), left: 1, 2),
      Step(.pop(at: 2), "b", left: 0, nil),
    ])
  }

  @Test("A timer of another timer queue is left where it is")
  func timerOfAnotherQueue() {
    var one = TimerQueue()
    var other = TimerQueue()
    let timer = Timer(at: 1) {}
    one.add(timer)
    other.add(Timer(at: 2) {})
    other.remove(timer)
    other.add(timer)
    #expect(one.count == 1)
    #expect(other.count == 1)
    #expect(one.popDue(at: 1) === timer)
  }

  @Test("Whoever takes a timer calls its action; the timer queue does not")
  func theActionIsCalledByTheOwner() {
    var calls = 0
    var queue = TimerQueue()
    queue.add(Timer(at: 1) { calls += 1 })
    let due = queue.popDue(at: 1)
    #expect(calls == 0)
    due?.action()
    #expect(calls == 1)
  }

  @Test("10,000 operations answer as a sorted list does", arguments: [1, 2, 3])
  func asASortedListDoes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = TimerQueue()
    var list: [Timer] = []
    var gone: [Timer] = []
    for step in 0..<10_000 {
      // Grows for a while, then shrinks, so that memory is given back too.
      let grows = step / 1_000 % 2 == 0
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<(grows ? 6 : 2):
        let timer = Timer(at: .random(in: 0..<500, using: &random)) {}
        queue.add(timer)
        list.insert(timer, at: list.firstIndex { $0.instant > timer.instant } ?? list.count)
      case 0..<8:
        guard let index = list.indices.randomElement(using: &random) else { continue }
        let timer = list.remove(at: index)
        queue.remove(timer)
        gone.append(timer)
      case 8:
        if let timer = gone.randomElement(using: &random) { queue.remove(timer) }
      default:
        let now = Instant.random(in: 0..<500, using: &random)
        let due = list.first.flatMap { $0.instant <= now ? $0 : nil }
        if due != nil { list.removeFirst() }
        guard queue.popDue(at: now) === due else {
          Issue.record("step \(step): another timer than the first of the list")
          return
        }
      }
      guard queue.count == list.count, queue.earliest == list.first?.instant else {
        Issue.record("step \(step): \(queue.count) timers, \(list.count) in the list")
        return
      }
    }
    for timer in list { #expect(queue.popDue(at: .max) === timer) }
    #expect(queue.isEmpty)
  }
}
