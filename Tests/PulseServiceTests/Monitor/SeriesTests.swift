import Foundation
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

  @Test("A series has room for one number at least", arguments: [(-1, 1), (0, 1), (1, 1), (2, 2)])
  func smallest(given: Int, capacity: Int) {
    #expect(Series(capacity: given).capacity == capacity)
    #expect(PulseState(historyLimit: given).historyLimit == capacity)
  }

  @Test(
    "A series is read that is full, and begins at any number of its ring",
    arguments: [(0, true), (1, true), (2, false)])
  func read(start: Int, isRead: Bool) {
    let json = #"{"capacity":2,"ring":[1,2],"start":\#(start)}"#
    #expect(((try? JSONDecoder().decode(Series.self, from: Data(json.utf8))) != nil) == isRead)
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
