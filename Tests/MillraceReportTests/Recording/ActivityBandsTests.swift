import Testing

@testable import MillraceReport

@Suite("Activity bands")
struct ActivityBandsTests {
  @Test("Nothing leaves no band")
  func nothing() {
    #expect(ActivityBands().filled.isEmpty)
  }

  @Test("Bands become twice as wide until the last event fits, and nothing is lost")
  func widening() {
    var bands = ActivityBands()
    for time in 0..<1_000 as Range<Int64> { bands.addAction(at: time) }
    for time in 0..<500 as Range<Int64> { bands.addCommit(at: time) }
    #expect(bands.width == 16)
    #expect(bands.filled.count == 63)
    #expect(bands.filled.map(\.actions) == Array(repeating: 16, count: 62) + [8])
    #expect(bands.filled.map(\.commits).reduce(0, +) == 500)
    #expect(bands.filled[31].commits == 4)
    #expect(bands.filled[32].commits == 0)
  }

  @Test("A band has the most runs that were open in it, also if none began or ended there")
  func open() {
    var bands = ActivityBands()
    bands.setOpen(1, at: 0)
    bands.setOpen(2, at: 0)
    bands.setOpen(1, at: 0)
    bands.setOpen(0, at: 3)
    bands.setOpen(1, at: 5)
    #expect(bands.filled.map(\.mostOpen) == [2, 1, 1, 1, 0, 1])
    bands.addAction(at: 120)
    #expect(bands.width == 2)
    #expect(Array(bands.filled.map(\.mostOpen).prefix(4)) == [2, 1, 1, 1])
  }

  @Test(
    "Two bands that become one have the most open runs of both, and the last of the second", arguments: [true, false])
  func merging(isMoreFirst: Bool) {
    var bands = ActivityBands()
    bands.setOpen(isMoreFirst ? 3 : 1, at: 0)
    bands.setOpen(0, at: 0)
    bands.setOpen(isMoreFirst ? 1 : 3, at: 1)
    bands.setOpen(2, at: 1)
    bands.addAction(at: 120)
    #expect(bands.width == 2)
    #expect(Array(bands.filled.map(\.mostOpen).prefix(2)) == [3, 2])
  }

  @Test("An event long before the others, or long behind them, is taken", arguments: [-5, 1 << 60])
  func far(time: Int64) {
    var bands = ActivityBands()
    bands.addAction(at: 7)
    bands.addAction(at: time)
    #expect(bands.filled.count <= ActivityBands.capacity)
    #expect(bands.filled.map(\.actions).reduce(0, +) == 2)
  }
}
