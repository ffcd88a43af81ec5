import Testing

@testable import MillraceHTTP

@Suite("AddressSchedule")
struct AddressScheduleTests {
  private let start = ContinuousClock.now

  @Test("The next address is due a quarter of a second after the one before it, and no more than there are")
  func delay() {
    var schedule = AddressSchedule(count: 3, at: start)
    #expect(schedule.start(at: start) == 0 && schedule.start(at: start) == nil)
    #expect(schedule.nextStart == start + .milliseconds(250))
    #expect(schedule.start(at: start + .milliseconds(249)) == nil)
    #expect(schedule.start(at: start + .milliseconds(250)) == 1)
    #expect(schedule.start(at: start + .milliseconds(499)) == nil)
    #expect(schedule.start(at: start + .milliseconds(600)) == 2)
    #expect(schedule.nextStart == nil && schedule.start(at: start + .seconds(60)) == nil)
  }

  @Test("A failed attempt has the next address be due, once")
  func failed() {
    var schedule = AddressSchedule(count: 3, at: start)
    #expect(schedule.start(at: start) == 0)
    let now = start + .milliseconds(10)
    schedule.fail(at: now)
    #expect(schedule.start(at: now) == 1 && schedule.start(at: now) == nil)
    #expect(schedule.nextStart == now + .milliseconds(250))
  }

  @Test(
    "Families take turns, each in the order of its addresses",
    arguments: [
      ([], []), ([(4, 1)], [1]), ([(6, 1), (6, 2), (4, 3), (4, 4), (4, 5)], [1, 3, 2, 4, 5]),
      ([(4, 1), (6, 2), (6, 3), (6, 4)], [1, 2, 3, 4]),
    ] as [([(family: Int32, number: Int)], [Int])])
  func interleaved(addresses: [(family: Int32, number: Int)], expected: [Int]) {
    #expect(AddressSchedule.interleaved(addresses, by: \.family).map(\.number) == expected)
  }
}
