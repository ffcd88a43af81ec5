import Testing

@testable import Millrace

/// Tables of event → answer.
@Suite("Lane")
struct LaneTests {
  /// One that comes: with how many live ones it meets, and what becomes of it.
  struct Row: CustomTestStringConvertible {
    let overlap: Overlap
    let live: Int
    let canJoin: Bool
    let arrival: Lane.Arrival

    init(_ overlap: Overlap, live: Int, canJoin: Bool = false, _ arrival: Lane.Arrival) {
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
    Row(.latest, live: 0, .takeUp),
    Row(.latest, live: 1, .replace),
    Row(.latest, live: 3, canJoin: true, .replace),
    Row(.exclusive, live: 0, .takeUp),
    Row(.exclusive, live: 1, .reject),
    Row(.exclusive, live: 2, canJoin: true, .reject),
    Row(.shared, live: 0, .takeUp),
    Row(.shared, live: 1, .takeUp),
    Row(.shared, live: 1, canJoin: true, .join),
    Row(.shared, live: 2, canJoin: true, .join),
  ]

  @Test("What becomes of one that comes depends on its overlap and on those that have not ended", arguments: rows)
  func whatBecomesOfOneThatComes(row: Row) {
    var lane = Lane()
    #expect(lane.arrive(row.overlap, live: row.live, canJoin: row.canJoin) == row.arrival)
    lane.take()
    #expect(lane.arrive(row.overlap, live: row.live, canJoin: row.canJoin) == row.arrival)
    #expect(lane.places == 1)
  }

  enum Event {
    case arrive(Overlap)
    case take, leave
    case limit(Int?)
  }

  /// An event, the places that are held after it, and whether there is another one.
  struct Step {
    let event: Event
    let places: Int
    let hasPlace: Bool

    init(_ event: Event, _ places: Int, hasPlace: Bool) {
      self.event = event
      self.places = places
      self.hasPlace = hasPlace
    }
  }

  private func check(_ steps: [Step]) {
    var lane = Lane()
    for (index, step) in steps.enumerated() {
      switch step.event {
      case .arrive(let overlap): _ = lane.arrive(overlap, live: lane.places, canJoin: false)
      case .take: lane.take()
      case .leave: lane.leave()
      case .limit(let limit): lane.limit = limit
      }
      #expect(lane.places == step.places, "step \(index): \(step.event)")
      #expect(lane.hasPlace == step.hasPlace, "step \(index): \(step.event)")
    }
  }

  @Test("There are as many places as the newest plan says")
  func asManyPlacesAsThePlanSays() {
    check([
      Step(.arrive(.concurrent(max: 2)), 0, hasPlace: true),
      Step(.take, 1, hasPlace: true),
      Step(.take, 2, hasPlace: false),
      Step(.arrive(.concurrent(max: 3)), 2, hasPlace: true),
      Step(.arrive(.concurrent(max: 1)), 2, hasPlace: false),
      Step(.leave, 1, hasPlace: false),
      Step(.leave, 0, hasPlace: true),
    ])
  }

  @Test("Plans that have no maximum leave it as it was, and take places beyond it")
  func plansWithoutAMaximum() {
    check([
      Step(.arrive(.latest), 0, hasPlace: true),
      Step(.take, 1, hasPlace: true),
      Step(.arrive(.concurrent(max: 1)), 1, hasPlace: false),
      Step(.arrive(.latest), 1, hasPlace: false),
      Step(.take, 2, hasPlace: false),
      Step(.arrive(.shared), 2, hasPlace: false),
      Step(.arrive(.exclusive), 2, hasPlace: false),
      Step(.leave, 1, hasPlace: false),
      Step(.leave, 0, hasPlace: true),
    ])
  }

  @Test("A limit counts instead of the plans' maximum, up and down, until it is taken back")
  func aLimitCounts() {
    check([
      Step(.arrive(.concurrent(max: 1)), 0, hasPlace: true),
      Step(.take, 1, hasPlace: false),
      Step(.limit(3), 1, hasPlace: true),
      Step(.take, 2, hasPlace: true),
      Step(.arrive(.concurrent(max: 2)), 2, hasPlace: true),
      Step(.limit(0), 2, hasPlace: false),
      Step(.leave, 1, hasPlace: false),
      Step(.leave, 0, hasPlace: false),
      Step(.limit(nil), 0, hasPlace: true),
      Step(.take, 1, hasPlace: true),
      Step(.take, 2, hasPlace: false),
    ])
  }

  @Test("R5: it is idle when nobody holds a place and no limit is set")
  func itIsIdle() {
    var lane = Lane()
    #expect(lane.isIdle)
    lane.take()
    #expect(!lane.isIdle)
    lane.limit = 1
    lane.leave()
    #expect(!lane.isIdle)
    lane.limit = nil
    #expect(lane.isIdle)
  }
}
