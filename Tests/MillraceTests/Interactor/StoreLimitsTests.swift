import Millrace
import Testing

@Suite("StoreLimits")
struct StoreLimitsTests {
  @Test("The defaults are those that are documented")
  func defaults() {
    let limits = StoreLimits()
    #expect(limits.runsInFlight == 4_096)
    #expect(limits.actionsWaiting == 16_384)
    #expect(limits.queuedActions == 65_536)
    #expect(limits.onOverflow == .reject)
    #expect(limits == .standard)
  }

  @Test("Values below their minimum are taken as the minimum, given or set", arguments: [Int.min, -1, 0])
  func valuesAreTakenAsTheMinimum(value: Int) {
    let given = StoreLimits(
      runsInFlight: value, actionsWaiting: value, queuedActions: value, onOverflow: .dropOldest)
    var set = StoreLimits(onOverflow: .dropOldest)
    set.runsInFlight = value
    set.actionsWaiting = value
    set.queuedActions = value
    for limits in [given, set] {
      #expect(limits.runsInFlight == 1)
      #expect(limits.actionsWaiting == 0)
      #expect(limits.queuedActions == 1)
      #expect(limits.onOverflow == .dropOldest)
    }
    #expect(given == set)
  }

  @Test("Values at or above their minimum are taken as they are", arguments: [1, 7, Int(Int32.max)])
  func valuesAreTaken(value: Int) {
    var limits = StoreLimits(runsInFlight: value, actionsWaiting: value, queuedActions: value)
    #expect(limits.runsInFlight == value)
    #expect(limits.actionsWaiting == value)
    #expect(limits.queuedActions == value)
    limits.runsInFlight = 2
    limits.onOverflow = .dropNewest
    #expect(limits.runsInFlight == 2)
    #expect(limits.actionsWaiting == value)
    #expect(limits.onOverflow == .dropNewest)
  }
}
