import MillraceTesting
import Testing

@testable import Millrace

/// A deadline is a name here: its moment, and a letter that tells equal ones apart.
@Suite("Timetable")
struct TimetableTests {
  /// A timetable and its deadlines by name.
  private struct Fixture {
    var timetable = Timetable()
    var deadlines: [String: Deadline] = [:]

    func name(of deadline: Deadline?) -> String? {
      deadlines.first { $0.value === deadline }?.key
    }

    mutating func apply(_ event: Event) -> String? {
      switch event {
      case .add(let name, let moment):
        let deadline = deadlines[name] ?? Deadline(at: moment) {}
        deadlines[name] = deadline
        timetable.add(deadline)
      case .remove(let name):
        timetable.remove(deadlines[name] ?? Deadline(at: 0) {})
      case .removeAll:
        timetable.removeAll()
      case .pop(let now):
        return name(of: timetable.popDue(at: now))
      }
      return nil
    }
  }

  enum Event {
    case add(String, at: Moment)
    case remove(String)
    case removeAll
    case pop(at: Moment)
  }

  /// An event, the deadline it has to return, and the count and the earliest moment that have to be left.
  private struct Step {
    let event: Event
    let popped: String?
    let count: Int
    let earliest: Moment?

    init(_ event: Event, _ popped: String? = nil, left count: Int, _ earliest: Moment?) {
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
      #expect(fixture.timetable.count == step.count, "step \(index): \(step.event)")
      #expect(fixture.timetable.isEmpty == (step.count == 0), "step \(index): \(step.event)")
      #expect(fixture.timetable.earliest == step.earliest, "step \(index): \(step.event)")
    }
  }

  @Test("The earliest deadline comes first, once it is due, and equal ones in the order they were added")
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

  @Test("A deadline is taken out wherever it stands; one that does not stand there changes nothing")
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

  @Test("A deadline stands there once; one that was taken out may come again, and is then the last of its moment")
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

  @Test("A deadline of another timetable is left where it is")
  func aDeadlineOfAnotherTimetable() {
    var one = Timetable()
    var other = Timetable()
    let deadline = Deadline(at: 1) {}
    one.add(deadline)
    other.add(Deadline(at: 2) {})
    other.remove(deadline)
    other.add(deadline)
    #expect(one.count == 1)
    #expect(other.count == 1)
    #expect(one.popDue(at: 1) === deadline)
  }

  @Test("Whoever takes a deadline calls its action; the timetable does not")
  func theActionIsCalledByTheOwner() {
    var calls = 0
    var timetable = Timetable()
    timetable.add(Deadline(at: 1) { calls += 1 })
    let due = timetable.popDue(at: 1)
    #expect(calls == 0)
    due?.action()
    #expect(calls == 1)
  }

  @Test("10,000 operations answer as a sorted list does", arguments: [1, 2, 3])
  func asASortedListDoes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var timetable = Timetable()
    var list: [Deadline] = []
    var gone: [Deadline] = []
    for step in 0..<10_000 {
      // Grows for a while, then shrinks, so that memory is given back too.
      let grows = step / 1_000 % 2 == 0
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<(grows ? 6 : 2):
        let deadline = Deadline(at: .random(in: 0..<500, using: &random)) {}
        timetable.add(deadline)
        list.insert(deadline, at: list.firstIndex { $0.moment > deadline.moment } ?? list.count)
      case 0..<8:
        guard let index = list.indices.randomElement(using: &random) else { continue }
        let deadline = list.remove(at: index)
        timetable.remove(deadline)
        gone.append(deadline)
      case 8:
        if let deadline = gone.randomElement(using: &random) { timetable.remove(deadline) }
      default:
        let now = Moment.random(in: 0..<500, using: &random)
        let due = list.first.flatMap { $0.moment <= now ? $0 : nil }
        if due != nil { list.removeFirst() }
        guard timetable.popDue(at: now) === due else {
          Issue.record("step \(step): another deadline than the first of the list")
          return
        }
      }
      guard timetable.count == list.count, timetable.earliest == list.first?.moment else {
        Issue.record("step \(step): \(timetable.count) deadlines, \(list.count) in the list")
        return
      }
    }
    for deadline in list { #expect(timetable.popDue(at: .max) === deadline) }
    #expect(timetable.isEmpty)
  }
}
