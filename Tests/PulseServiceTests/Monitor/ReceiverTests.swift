import Foundation
import Testing

@testable import PulseService

@Suite("Receiver")
struct ReceiverTests {
  private var receiver = Receiver(webhook: .chat)

  /// A change of an alert, or a part of an attempt at the notice of that change.
  private enum Step {
    case change(Int)
    case begin(Int)
    case taken(Int)
    case refused(Int)
    case silence(Int)
  }

  private mutating func take(_ steps: [Step]) {
    for step in steps {
      switch step {
      case .change(let number): receiver.note(.fake(number))
      case .begin(let number): receiver.begin(.fake(number), idempotencyKey: "key-\(number)")
      case .taken(let number): receiver.deliver(.fake(number))
      case .refused(let number): receiver.fail(.fake(number), "no", mayHaveArrived: false)
      case .silence(let number): receiver.fail(.fake(number), "late", mayHaveArrived: true)
      }
    }
  }

  @Test("A notice is waiting until it is posted, under way until it is taken or has failed, and owed until it is taken")
  mutating func counts() {
    #expect(receiver.isUntouched && receiver.words == "")
    let steps: [(Step, String)] = [
      (.change(1), "1 waiting"), (.begin(1), "1 under way"), (.refused(1), "1 waiting, 1 failed: no"),
      (.begin(1), "1 under way, 1 failed: no"), (.taken(1), "1 delivered, 1 failed: no"),
      (.taken(1), "1 delivered, 1 failed: no"), (.refused(1), "1 delivered, 1 failed: no"),
    ]
    for (step, words) in steps {
      take([step])
      #expect(receiver.words == words)
      #expect(!receiver.isUntouched)
    }
  }

  /// A webhook that was away for four seconds heard of the end of an alert whose beginning was lost.
  @Test(
    "A beginning is owed as long as the alert fires, and an end only where a beginning has arrived or may have",
    arguments: [
      ([.change(1)], [1]), ([.change(1), .begin(1)], [1]),
      ([.change(1), .begin(1), .refused(1)], [1]), ([.change(1), .begin(1), .silence(1)], [1]),
      ([.change(1), .begin(1), .taken(1)], []),
      // The beginning has not arrived.
      ([.change(1), .change(2)], []), ([.change(1), .begin(1), .refused(1), .change(2)], []),
      ([.change(1), .begin(1), .change(2)], []), ([.change(1), .begin(1), .change(2), .refused(1)], []),
      ([.change(2)], []),
      // It has, or may have.
      ([.change(1), .begin(1), .taken(1), .change(2)], [2]), ([.change(1), .begin(1), .change(2), .taken(1)], [2]),
      ([.change(1), .begin(1), .silence(1), .change(2)], [2]), ([.change(1), .begin(1), .change(2), .silence(1)], [2]),
      ([.change(1), .begin(1), .silence(1), .begin(1), .refused(1), .change(2)], [2]),
      ([.change(1), .begin(1), .taken(1), .change(2), .begin(2), .refused(2)], [2]),
      ([.change(1), .begin(1), .taken(1), .change(2), .begin(2), .taken(2)], []),
      // It fires again.
      ([.change(1), .change(2), .change(3)], [3]), ([.change(1), .begin(1), .taken(1), .change(2), .change(3)], [3]),
      ([.change(1), .begin(1), .taken(1), .change(2), .begin(2), .change(3), .silence(2)], [3]),
      ([.change(1), .begin(1), .taken(1), .change(2), .begin(2), .change(3), .taken(2), .change(4)], []),
      // A reminder is owed once the notice before it has arrived.
      ([.change(1), .begin(1), .taken(1), .change(3)], [3]), ([.change(1), .change(3)], [1]),
      ([.change(1), .begin(1), .silence(1), .change(3)], [1]), ([.change(1), .begin(1), .change(3), .taken(1)], []),
      ([.change(1), .begin(1), .taken(1), .change(3), .begin(3), .refused(3)], [3]),
      ([.change(1), .begin(1), .taken(1), .change(3), .change(4)], [4]),
    ] as [([Step], [Int])])
  private mutating func owed(steps: [Step], numbers: [Int]) {
    take(steps)
    #expect(receiver.owed.map(\.number) == numbers)
  }

  @Test("An alert is forgotten once it has ended and nothing is owed or under way", arguments: [false, true])
  mutating func forgotten(hasArrived: Bool) {
    take([.change(1), .begin(1)])
    #expect(receiver.alerts.count == 1)
    take([.change(2)])
    #expect(receiver.alerts.count == 1, "its notice is under way")
    take([hasArrived ? .taken(1) : .refused(1)])
    #expect(receiver.alerts.count == (hasArrived ? 1 : 0))
    take([.begin(2), .taken(2)])
    #expect(receiver.alerts.isEmpty)
  }

  @Test("All attempts at a notice have the key and the time of the first one, and the next notice has others")
  mutating func firstAttempt() {
    take([.change(1), .begin(1), .refused(1)])
    let first = KnownAlert.FirstAttempt(idempotencyKey: "key-1", time: Notice.fake(1).time)
    #expect(receiver.owing(.fake(1))?.firstAttempt == first)
    receiver.begin(Notice(change: .fake(1), time: .distantFuture), idempotencyKey: "another")
    #expect(receiver.owing(.fake(1))?.firstAttempt == first)
    take([.taken(1), .change(2)])
    #expect(receiver.owing(.fake(1)) == nil && receiver.owing(.fake(2))?.firstAttempt == nil)
  }

  @Test("Alerts do not meet one another")
  mutating func severalAlerts() {
    take([.change(1), .begin(1)])
    receiver.note(.fake(3, of: "load > 8"))
    #expect(receiver.owed.map(\.number) == [1, 3] && receiver.underWay == 1 && receiver.waiting == 1)
    take([.taken(1)])
    #expect(receiver.owed.map(\.number) == [3])
  }
}
