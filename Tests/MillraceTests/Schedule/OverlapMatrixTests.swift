import Testing

@testable import Millrace

/// The matrix of docs/runs.md: an action that arrives, and an earlier action of the same key with another overlap.
@Suite("Scheduler, mixed overlaps")
struct OverlapMatrixTests {
  typealias Table = SchedulerTests.Table
  typealias Event = SchedulerTests.Event

  enum Kind: CaseIterable, Sendable {
    case two, serial, latest, exclusive, shared

    var plan: Plan {
      switch self {
      case .two: .concurrent(max: 2, key: "k")
      case .serial: .serial(key: "k")
      case .latest: .latest(key: "k")
      case .exclusive: .exclusive(key: "k")
      case .shared: .shared(key: "k")
      }
    }
  }

  /// The state of the earlier action, called "a", when the new one arrives.
  enum Earlier: CaseIterable, Sendable {
    /// Waits for the turn of an action before it.
    case waiting
    case running
    /// Cancelled, and its handler has not returned.
    case cancelled
  }

  /// The consequence for the new action, called "b".
  enum Consequence: Equatable {
    case starts, waits, replaces, isRejected, joins
  }

  static func consequence(_ new: Kind, after old: Kind, _ state: Earlier) -> Consequence {
    switch (new, old, state) {
    case (.two, _, .waiting): .waits
    case (.two, _, _): .starts
    case (.serial, _, _): .waits
    case (.latest, _, .cancelled), (.exclusive, _, .cancelled): .starts
    case (.latest, _, _): .replaces
    case (.exclusive, _, _): .isRejected
    case (.shared, .shared, .cancelled): .starts
    case (.shared, .shared, _): .joins
    case (.shared, .serial, _): .waits
    case (.shared, .two, .waiting): .waits
    case (.shared, .two, _): .starts
    case (.shared, .latest, _), (.shared, .exclusive, _): .starts
    }
  }

  /// Raises the events that bring "a" into its state.
  private func begin(_ table: inout Table, _ kind: Kind, _ state: Earlier) {
    if state == .waiting {
      _ = table.raise(.arrive("first", .serial(key: "k")))
      _ = table.raise(.handles("first"))
    }
    _ = table.raise(.arrive("a", kind.plan))
    guard state != .waiting else { return }
    _ = table.raise(.handles(kind == .shared ? "run of a" : "a"))
    if state == .cancelled { _ = table.raise(.end("a")) }
  }

  @Test(
    "R4: each overlap meets each other one of its key as the matrix says", arguments: Kind.allCases, Kind.allCases)
  func matrix(new: Kind, old: Kind) {
    for state in Earlier.allCases {
      // An action of these overlaps never waits for a turn.
      if state == .waiting, old == .latest || old == .exclusive { continue }
      var table = Table(slots: 9, waiting: 9)
      // Two serial actions before it leave no turn to the one that allows two.
      begin(&table, old == .two && state == .waiting ? .serial : old, state)
      let words = table.raise(.arrive("b", new.plan))
      let decides = new == .shared ? ["share b", "decide run of b"] : ["decide b"]
      let expected = Self.consequence(new, after: old, state)
      let actual: Consequence? =
        switch words {
        case decides: .starts
        case [], ["share b"]: .waits
        case ["join b to run of a"]: .joins
        case ["settle b rejected", "forget b"]: .isRejected
        default: words.contains { $0.hasPrefix("settle a superseded") } ? .replaces : nil
        }
      #expect(actual == expected, "\(new) after \(old), \(state): \(words)")
    }
  }

  private func check(_ rows: [(Event, [String])], sourceLocation: SourceLocation = #_sourceLocation) {
    SchedulerTests().check(Table(slots: 9, waiting: 9), rows, sourceLocation: sourceLocation)
  }

  private let serial = Plan.serial(key: "k")
  private let shared = Plan.shared(key: "k")

  @Test("R4: a shared action joins no run that began before a serial action, but the one behind that")
  func acrossASerialAction() {
    check([
      (.arrive("a", shared), ["share a", "decide run of a"]), (.handles("run of a"), ["start run of a"]),
      (.arrive("s", serial), []),
      (.arrive("b", shared), ["share b"]), (.arrive("c", shared), ["join c to run of b"]),
      (.returns("run of a"), ["settle run of a finished", "settle a finished", "forget a", "forget run of a"]),
      (.step, ["decide s"]), (.handles("s"), ["start s"]),
      (.end("s"), ["settle s cancelled, closing"]), (.arrive("d", shared), ["join d to run of b"]),
      (.returns("s"), ["forget s"]),
      (.step, ["decide run of b"]), (.handles("run of b"), ["start run of b"]),
      (
        .returns("run of b"),
        [
          "settle run of b finished", "settle b finished", "forget b", "settle c finished", "forget c",
          "settle d finished", "forget d", "forget run of b",
        ]
      ),
    ])
  }

  @Test("R4: once the serial action has ended a shared action joins the newest run that has not")
  func afterASerialActionThatLeft() {
    check([
      (.arrive("a", shared), ["share a", "decide run of a"]), (.handles("run of a"), ["start run of a"]),
      (.arrive("s", serial), []), (.arrive("b", shared), ["share b"]),
      (.end("b"), ["settle run of b cancelled", "forget run of b", "settle b cancelled", "forget b"]),
      (.end("s"), ["settle s cancelled", "forget s"]),
      (.arrive("c", shared), ["join c to run of a"]),
    ])
  }

  @Test("R4: a shared action waits no longer for a serial one that was cancelled before its turn")
  func aSerialActionThatEndedWaiting() {
    check([
      (.arrive("a", .latest(key: "k")), ["decide a"]), (.handles("a"), ["start a"]),
      (.arrive("s", serial), []), (.end("s"), ["settle s cancelled", "forget s"]),
      (.arrive("b", shared), ["share b", "decide run of b"]),
    ])
  }

  @Test("R4: a shared action for which the serial one before it is dropped joins the run before that")
  func theSerialActionIsDropped() {
    SchedulerTests().check(
      Table(slots: 9, waiting: 1, onOverflow: .dropNewest),
      [
        (.arrive("a", shared), ["share a", "decide run of a"]), (.handles("run of a"), ["start run of a"]),
        (.arrive("s", serial), []),
        (.arrive("b", shared), ["settle s rejected", "forget s", "join b to run of a"]),
      ])
  }

  @Test("R4: a shared run that waits ends with the last action that leaves it, and is not decided")
  func membersLeave() {
    check([
      (.arrive("s", serial), ["decide s"]), (.handles("s"), ["start s"]),
      (.arrive("a", shared), ["share a"]), (.arrive("b", shared), ["join b to run of a"]),
      (.end("a"), ["settle a cancelled", "forget a"]),
      (.end("b"), ["settle run of a cancelled", "forget run of a", "settle b cancelled", "forget b"]),
      (.returns("s"), ["settle s finished", "forget s"]), (.step, ["nothing is due"]),
    ])
  }

  @Test("A1: a waiting shared run takes one place and each joined action another; it is dropped with all of them")
  func room() {
    SchedulerTests().check(
      Table(slots: 9, waiting: 2, onOverflow: .dropOldest),
      [
        (.arrive("s", serial), ["decide s"]), (.handles("s"), ["start s"]),
        (.arrive("a", shared), ["share a"]), (.arrive("b", shared), ["join b to run of a"]),
        (
          .arrive("c", shared),
          [
            "settle run of a rejected", "settle a rejected", "forget a", "settle b rejected", "forget b",
            "forget run of a", "share c",
          ]
        ),
      ])
  }
}
