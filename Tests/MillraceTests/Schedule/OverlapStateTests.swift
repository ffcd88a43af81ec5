import Testing

@testable import Millrace

/// Tables of event → answer.
@Suite("OverlapState")
struct OverlapStateTests {
  /// An action that arrives, what it meets, and the answer.
  struct Row: CustomTestStringConvertible {
    let overlap: Overlap
    let live: Int
    let sharedRun: ActionHandle?
    let inOrder: Int
    let arrival: OverlapState.Arrival

    init(
      _ overlap: Overlap, live: Int, sharedRun: ActionHandle? = nil, inOrder: Int = 0, _ arrival: OverlapState.Arrival
    ) {
      self.overlap = overlap
      self.live = live
      self.sharedRun = sharedRun
      self.inOrder = inOrder
      self.arrival = arrival
    }

    var testDescription: String {
      "\(overlap), \(live) live, \(sharedRun == nil ? "none" : "one") to join, \(inOrder) in order"
    }
  }

  static let rows = [
    Row(.concurrent(max: 1), live: 0, .wait),
    Row(.concurrent(max: 1), live: 1, .wait),
    Row(.concurrent(max: 1), live: 1, sharedRun: 7, .wait),
    Row(.concurrent(max: 2), live: 5, .wait),
    Row(.latest(max: 1), live: 0, .takeUp),
    Row(.latest(max: 1), live: 1, .replace(leaving: 0)),
    Row(.latest(max: 1), live: 3, sharedRun: 7, .replace(leaving: 0)),
    Row(.latest(max: 3), live: 2, .takeUp),
    Row(.latest(max: 3), live: 3, .replace(leaving: 2)),
    Row(.exclusive(max: 2), live: 1, .takeUp),
    Row(.exclusive(max: 2), live: 2, .reject),
    Row(.exclusive(max: 1), live: 0, .takeUp),
    Row(.exclusive(max: 1), live: 1, .reject),
    Row(.exclusive(max: 1), live: 2, sharedRun: 7, .reject),
    Row(.shared, live: 0, .takeUp),
    Row(.shared, live: 1, .takeUp),
    Row(.shared, live: 1, sharedRun: 7, .join(7)),
    Row(.shared, live: 2, sharedRun: 7, inOrder: 1, .join(7)),
    Row(.shared, live: 0, inOrder: 1, .wait),
    Row(.shared, live: 2, inOrder: 2, .wait),
  ]

  @Test("The answer to an action depends on its overlap and on the earlier actions of its key", arguments: rows)
  func arrivals(row: Row) {
    var state = OverlapState()
    state.inOrder = row.inOrder
    #expect(state.arrive(row.overlap, live: row.live, sharedRun: row.sharedRun) == row.arrival)
    state.turns.take()
    #expect(state.arrive(row.overlap, live: row.live, sharedRun: row.sharedRun) == row.arrival)
    #expect(state.turns.taken == 1)
  }

  enum Event {
    case arrive(Overlap)
    case take, release
    case limit(Int?)
  }

  /// An event, the permits that are taken after it, and whether there is another one.
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
      case .arrive(let overlap): _ = state.arrive(overlap, live: state.turns.taken, sharedRun: nil)
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
