import Millrace
import Testing

@testable import MillraceReconcile

/// Tables of past, event and answer.
@Suite("ReconcilerState")
struct ReconcilerStateTests {
  typealias Path = ReconciledPath<String>

  enum Event {
    case begin, desired(Path), desiresEnded, restOver, step, performed, timedOut, failed, cancelled, end
  }

  /// Events that lead somewhere, the event that comes then, and what is answered.
  struct Row: CustomTestStringConvertible {
    let past: [Event]
    let event: Event
    let answer: String

    init(_ past: [Event], _ event: Event, _ answer: String) {
      self.past = past
      self.event = event
      self.answer = answer
    }

    var testDescription: String { "\(past), \(event)" }
  }

  /// The answer to an event as a short text: "look" and "-" are answers to events from outside the loop.
  static func answer(_ event: Event, _ state: inout ReconcilerState<Path>) -> String {
    func look(_ isToLook: Bool) -> String { isToLook ? "look" : "-" }
    func sentence(_ reports: [Reconciler<Path>.Report]) -> String {
      reports.isEmpty ? "-" : reports.map(\.short).joined(separator: ", ")
    }
    switch event {
    case .begin: return state.begin() ? "begun" : "refused"
    case .desired(let path): return look(state.desired(path))
    case .desiresEnded: return look(state.desiresEnded())
    case .restOver: return look(state.restOver())
    case .performed: return sentence(state.performed().map { [$0] } ?? [])
    case .timedOut: return sentence(state.timedOut().map { [$0] } ?? [])
    case .failed: return sentence(state.failed(Mishap()))
    case .cancelled: return sentence(state.cancelled().map { [$0] } ?? [])
    case .end:
      state.end()
      return "-"
    case .step:
      switch state.step() {
      case .perform(let attempt): return "perform \(attempt.operation) #\(attempt.number)"
      case .rest(let duration): return "rest \(duration)"
      case .wait: return "wait"
      case .end: return "end"
      }
    }
  }

  static let ready: [Event] = [.begin, .desired(["a"])]
  static let performing = ready + [.step]
  static let late = performing + [.timedOut]
  static let failed = performing + [.failed]
  static let resting = failed + [.step]
  static let rested = resting + [.restOver]
  static let performingLast = rested + [.step]
  static let givenUp = performingLast + [.failed]
  static let reached = performing + [.performed]
  static let ending = ready + [.cancelled]

  static let beside: [Row] = [
    Row([], .begin, "begun"),
    Row(ready, .begin, "refused"),
    Row(ending, .begin, "refused"),
    Row(ready + [.end], .begin, "begun"),

    Row([.begin], .desired(["a"]), "look"),
    Row(ready, .desired(["a"]), "-"),
    Row(ready, .desired(["b"]), "look"),
    Row(performing, .desired(["b"]), "-"),
    Row(failed, .desired(["b"]), "look"),
    Row(resting, .desired(["a"]), "-"),
    Row(resting, .desired(["a", "b"]), "-"),
    Row(resting, .desired(["b"]), "look"),
    Row(resting, .desired([]), "look"),
    Row(givenUp, .desired(["a"]), "-"),
    Row(givenUp, .desired(["a", "b"]), "look"),

    Row(ready, .desiresEnded, "look"),
    Row(performing, .desiresEnded, "look"),

    Row(resting, .restOver, "look"),
    Row(resting + [.desired(["b"])], .restOver, "-"),
    Row(performing, .restOver, "-"),
  ]

  static let steps: [Row] = [
    Row([], .step, "wait"),
    Row([.begin], .step, "wait"),
    Row([.begin, .desiresEnded], .step, "end"),
    Row([.begin, .desired([])], .step, "wait"),
    Row([.begin, .desired([]), .desiresEnded], .step, "end"),
    Row(ready, .step, "perform push(\"a\", at: 0) #1"),
    Row(ready + [.desired(["b"])], .step, "perform push(\"b\", at: 0) #1"),
    Row(ready + [.desiresEnded], .step, "perform push(\"a\", at: 0) #1"),
    Row(performing, .step, "wait"),
    Row(reached, .step, "wait"),
    Row(reached + [.desiresEnded], .step, "end"),
    Row(reached + [.desired(["b"])], .step, "perform change(at: 0, from: \"a\", to: \"b\") #1"),
    Row(performing + [.desired(["b", "c"]), .performed], .step, "perform change(at: 0, from: \"a\", to: \"b\") #1"),
    Row(performing + [.desired([]), .performed], .step, "perform pop(\"a\", at: 0) #1"),
    Row([.begin, .desired(["a", "b"]), .step, .performed], .step, "perform push(\"b\", at: 1) #1"),

    Row(failed, .step, "rest 1.0 seconds"),
    Row(failed + [.desired(["b"])], .step, "perform push(\"b\", at: 0) #1"),
    Row(failed + [.desired(["a", "b"])], .step, "rest 1.0 seconds"),
    Row(failed + [.desired([])], .step, "wait"),
    Row(resting, .step, "wait"),
    Row(resting + [.desired(["b"])], .step, "perform push(\"b\", at: 0) #1"),
    Row(rested, .step, "perform push(\"a\", at: 0) #2"),
    Row(rested + [.desired(["a", "b"])], .step, "perform push(\"a\", at: 0) #2"),
    Row(rested + [.desired(["b"])], .step, "perform push(\"b\", at: 0) #1"),
    Row(resting + [.desiresEnded, .restOver], .step, "perform push(\"a\", at: 0) #2"),

    Row(givenUp, .step, "wait"),
    Row(givenUp + [.desiresEnded], .step, "end"),
    Row(givenUp + [.desired(["a"])], .step, "wait"),
    Row(givenUp + [.desired(["a", "b"])], .step, "perform push(\"a\", at: 0) #1"),
    Row(givenUp + [.desired(["b"]), .desired(["a"])], .step, "perform push(\"a\", at: 0) #1"),
    Row(performingLast + [.desired(["a", "b"]), .failed], .step, "perform push(\"a\", at: 0) #1"),
    Row(givenUp + [.end, .begin, .desired(["a"])], .step, "perform push(\"a\", at: 0) #1"),

    Row(ending, .step, "end"),
    Row(performing + [.cancelled], .step, "end"),
    Row(resting + [.cancelled], .step, "end"),
    Row(reached + [.end, .begin, .desired(["a", "b"])], .step, "perform push(\"b\", at: 1) #1"),
  ]

  static let endings: [Row] = [
    Row(performing, .performed, "performed push(\"a\", at: 0) #1"),
    Row(performingLast, .performed, "performed push(\"a\", at: 0) #2"),
    Row(late, .performed, "performed push(\"a\", at: 0) #1"),
    Row(ready, .performed, "-"),

    Row(performing, .timedOut, "failed push(\"a\", at: 0) #1 in time"),
    Row(late, .timedOut, "-"),
    Row(reached, .timedOut, "-"),

    Row(performing, .failed, "failed push(\"a\", at: 0) #1 by a mishap"),
    Row(performing + [.desired(["b"])], .failed, "failed push(\"a\", at: 0) #1 by a mishap"),
    Row(late, .failed, "-"),
    Row(performingLast, .failed, "failed push(\"a\", at: 0) #2 by a mishap, gave up push(\"a\", at: 0) #2 by a mishap"),
    Row(performingLast + [.timedOut], .failed, "gave up push(\"a\", at: 0) #2 in time"),
    Row(performingLast + [.desired(["b"])], .failed, "failed push(\"a\", at: 0) #2 by a mishap"),
    Row(ready, .failed, "-"),

    Row(ready, .cancelled, "-"),
    Row(resting, .cancelled, "-"),
    Row(performing, .cancelled, "cancelled push(\"a\", at: 0)"),
    Row(late, .cancelled, "cancelled push(\"a\", at: 0)"),
    Row(performing + [.cancelled], .cancelled, "-"),
  ]

  @Test("Events from outside the loop say whether the loop has to look again", arguments: beside)
  func fromBeside(row: Row) { check(row) }

  @Test("Each step is by the newest desire and what was acknowledged", arguments: steps)
  func step(row: Row) { check(row) }

  @Test("The end of an attempt is reported as what it was", arguments: endings)
  func ending(row: Row) { check(row) }

  private func check(_ row: Row) {
    var state = ReconcilerState<Path>(
      initial: [], attempts: 2, backoff: .exponential(initial: .seconds(1), factor: 2, maximum: .seconds(9)))
    for event in row.past { _ = Self.answer(event, &state) }
    #expect(Self.answer(row.event, &state) == row.answer)
  }

  @Test("Without a rest the next attempt follows at once")
  func noRest() {
    var state = ReconcilerState<Path>(initial: [], attempts: 3, backoff: .none)
    for event in Self.failed { _ = Self.answer(event, &state) }
    #expect(Self.answer(.step, &state) == "perform push(\"a\", at: 0) #2")
  }

  @Test("The acknowledged value outlasts the run; failed values and those under way are not in it")
  func acknowledged() {
    var state = ReconcilerState<Path>(initial: ["root"], attempts: 1, backoff: .none)
    for event in [.begin, .desired(["root", "a", "b"]), .step, .performed, .step] as [Event] {
      _ = Self.answer(event, &state)
    }
    #expect(state.acknowledged == ["root", "a"])
    _ = Self.answer(.failed, &state)
    #expect(state.acknowledged == ["root", "a"])
    state.end()
    #expect(state.acknowledged == ["root", "a"])
  }
}
