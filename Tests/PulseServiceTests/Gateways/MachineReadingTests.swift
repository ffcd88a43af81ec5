import Testing

@testable import PulseService

@Suite("MachineReading")
struct MachineReadingTests {
  @Test(
    "The busy share is that of the ticks between two readings, and stays between 0 and 100",
    arguments: [
      (CPUTicks(busy: 10, total: 100), CPUTicks(busy: 35, total: 200), 25.0),
      (CPUTicks(busy: 10, total: 100), CPUTicks(busy: 10, total: 110), 0),
      (CPUTicks(busy: 10, total: 100), CPUTicks(busy: 9, total: 110), 0),
      (CPUTicks(busy: 10, total: 100), CPUTicks(busy: 30, total: 110), 100),
    ] as [(CPUTicks, CPUTicks, Double)])
  func busyShare(earlier: CPUTicks, later: CPUTicks, expected: Double) {
    #expect(later.percentBusy(since: earlier) == expected)
  }

  @Test("Without a tick between two readings the busy share is not known", arguments: [100, 99] as [UInt64])
  func noTick(total: UInt64) {
    #expect(CPUTicks(busy: 10, total: total).percentBusy(since: CPUTicks(busy: 10, total: 100)) == nil)
  }

  @Test(
    "The used share is what is not available",
    arguments: [
      (Capacity(total: 1000, available: 250), 75.0), (Capacity(total: 0, available: 0), 0),
      (Capacity(total: 10, available: 20), 0),
    ] as [(Capacity, Double)])
  func usedShare(capacity: Capacity, expected: Double) {
    #expect(capacity.percentUsed == expected)
  }
}
