import Millrace
import Testing

@Suite("StoreLimits")
struct StoreLimitsTests {
  @Test("The defaults are those that are documented")
  func defaults() {
    let limits = StoreConfiguration.Limits()
    #expect(limits.runsInFlight == 4_096)
    #expect(limits.actionsWaiting == 16_384)
    #expect(limits.queuedActions == 65_536)
    #expect(limits.onOverflow == .reject)
    #expect(limits == .standard)
  }

  @Test("Values below their minimum are taken as the minimum, given", arguments: [Int.min, -1, 0])
  func valuesAreTakenAsTheMinimum(value: Int) {
    let given = StoreConfiguration.Limits(
      runsInFlight: value, actionsWaiting: value, queuedActions: value, onOverflow: .dropOldest)
    #expect(given.runsInFlight == 1)
    #expect(given.actionsWaiting == 0)
    #expect(given.queuedActions == 1)
    #expect(given.onOverflow == .dropOldest)
  }

  @Test("Values at or above their minimum are taken as they are", arguments: [1, 7, Int(Int32.max)])
  func valuesAreTaken(value: Int) {
    let limits = StoreConfiguration.Limits(runsInFlight: value, actionsWaiting: value, queuedActions: value)
    #expect(limits.runsInFlight == value)
    #expect(limits.actionsWaiting == value)
    #expect(limits.queuedActions == value)
    #expect(limits.onOverflow == .reject)
  }
}
