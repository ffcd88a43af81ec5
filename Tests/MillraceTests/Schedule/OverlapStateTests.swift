import Testing

@testable import Millrace

/// Tables of event → answer.
@Suite("OverlapState")
struct OverlapStateTests {
  /// One that comes: with how many live ones it meets, and what becomes of it.
  struct Row: CustomTestStringConvertible {
    let overlap: Overlap
    let live: Int
    let canJoin: Bool
    let arrival: OverlapState.Arrival

    init(_ overlap: Overlap, live: Int, canJoin: Bool = false, _ arrival: OverlapState.Arrival) {
      self.overlap = overlap
      self.live = live
      self.canJoin = canJoin
      self.arrival = arrival
    }

    var testDescription: String { "\(overlap), \(live) live, \(canJoin ? "one" : "none") to join" }
  }

  static let rows = [
    Row(.concurrent(max: 1), live: 0, .wait),
    Row(.concurrent(max: 1), live: 1, .wait),
    Row(.concurrent(max: 1), live: 1, canJoin: true, .wait),
    Row(.concurrent(max: 2), live: 5, .wait),
    Row(.latest(max: 1), live: 0, .takeUp),
    Row(.latest(max: 1), live: 1, .replace(leaving: 0)),
    Row(.latest(max: 1), live: 3, canJoin: true, .replace(leaving: 0)),
    Row(.latest(max: 3), live: 2, .takeUp),
    Row(.latest(max: 3), live: 3, .replace(leaving: 2)),
    Row(.exclusive(max: 2), live: 1, .takeUp),
    Row(.exclusive(max: 2), live: 2, .reject),
    Row(.exclusive(max: 1), live: 0, .takeUp),
    Row(.exclusive(max: 1), live: 1, .reject),
    Row(.exclusive(max: 1), live: 2, canJoin: true, .reject),
    Row(.shared, live: 0, .takeUp),
    Row(.shared, live: 1, .takeUp),
    Row(.shared, live: 1, canJoin: true, .join),
    Row(.shared, live: 2, canJoin: true, .join),
  ]

  @Test("What becomes of one that comes depends on its overlap and on those that have not ended", arguments: rows)
  func whatBecomesOfOneThatComes(row: Row) {
    var state = OverlapState()
    #expect(state.arrive(row.overlap, live: row.live, canJoin: row.canJoin) == row.arrival)
    state.turns.take()
    #expect(state.arrive(row.overlap, live: row.live, canJoin: row.canJoin) == row.arrival)
    #expect(state.turns.taken == 1)
  }

  enum Event {
    case arrive(Overlap)
    case take, release
    case limit(Int?)
  }

  /// An event, the permits that are held after it, and whether there is another one.
  struct Step {
    let event: Event
    let taken: Int
    let hasPermit: Bool

    init(_ event: Event, _ taken: Int, hasPermit: Bool) {
      self.event = event
      self.taken = taken
      self.hasPermit = hasPermit
    }
  }

  private func check(_ steps: [Step]) {
    var state = OverlapState()
    for (index, step) in steps.enumerated() {
      switch step.event {
      case .arrive(let overlap): _ = state.arrive(overlap, live: state.turns.taken, canJoin: false)
      case .take: state.turns.take()
      case .release: state.turns.release()
      case .limit(let limit): state.turns.limit = limit
      }
      #expect(state.turns.taken == step.taken, "step \(index): \(step.event)")
      #expect(state.turns.hasPermit == step.hasPermit, "step \(index): \(step.event)")
    }
  }

  @Test("There are as many permits as the newest plan says")
  func asManyPlacesAsThePlanSays() {
    check([
      Step(.arrive(.concurrent(max: 2)), 0, hasPermit: true),
      Step(.take, 1, hasPermit: true),
      Step(.take, 2, hasPermit: false),
      Step(.arrive(.concurrent(max: 3)), 2, hasPermit: true),
      Step(.arrive(.concurrent(max: 1)), 2, hasPermit: false),
      Step(.release, 1, hasPermit: false),
      Step(.release, 0, hasPermit: true),
    ])
  }

  @Test("Plans that have no maximum leave it as it was, and take permits beyond it")
  func plansWithoutAMaximum() {
    check([
      Step(.arrive(.latest(max: 1)), 0, hasPermit: true),
      Step(.take, 1, hasPermit: true),
      Step(.arrive(.concurrent(max: 1)), 1, hasPermit: false),
      Step(.arrive(.latest(max: 1)), 1, hasPermit: false),
      Step(.take, 2, hasPermit: false),
      Step(.arrive(.shared), 2, hasPermit: false),
      Step(.arrive(.exclusive(max: 1)), 2, hasPermit: false),
      Step(.release, 1, hasPermit: false),
      Step(.release, 0, hasPermit: true),
    ])
  }

  @Test("A limit counts instead of the plans' maximum, up and down, until it is taken back")
  func aLimitCounts() {
    check([
      Step(.arrive(.concurrent(max: 1)), 0, hasPermit: true),
      Step(.take, 1, hasPermit: false),
      Step(.limit(3), 1, hasPermit: true),
      Step(.take, 2, hasPermit: true),
      Step(.arrive(.concurrent(max: 2)), 2, hasPermit: true),
      Step(.limit(0), 2, hasPermit: false),
      Step(.release, 1, hasPermit: false),
      Step(.release, 0, hasPermit: false),
      Step(.limit(nil), 0, hasPermit: true),
      Step(.take, 1, hasPermit: true),
      Step(.take, 2, hasPermit: false),
    ])
  }
}
