import Testing

@testable import PulseService

@Suite("Series")
struct SeriesTests {
  @Test("A series keeps the newest numbers, in their order, and no more than its capacity")
  func bounded() {
    var series = Series(capacity: 3)
    #expect(series.values.isEmpty && series.last == nil)
    for number in 1...7 {
      series.append(Double(number))
      #expect(series.values == (max(1, number - 2)...number).map(Double.init))
      #expect(series.last == Double(number))
      #expect(series.count == min(number, 3))
    }
  }

  @Test("Series with the same numbers are equal, however they came to them")
  func equal() {
    var one = Series(capacity: 2)
    var other = Series(capacity: 2)
    for number in [1.0, 2, 3] { one.append(number) }
    for number in [2.0, 3] { other.append(number) }
    #expect(one == other)
    other.append(4)
    #expect(one != other)
  }
}
