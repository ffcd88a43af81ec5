import Testing

@testable import MillraceLoad

@Suite("LimitSearch")
struct LimitSearchTests {
  /// Searches a system that holds up to a limit, and returns the rates that were measured.
  private func rates(_ search: inout LimitSearch, holdsUpTo limit: Double) -> [Double] {
    var (rates, step) = ([Double](), search.first)
    while case .measure(let rate) = step, rates.count < 1_000 {
      rates.append(rate)
      step = search.next(isHeld: rate <= limit)
    }
    return rates
  }

  @Test("The limit is found from below and from above", arguments: [1.0, 70, 1_000, 1e6], [10.0, 1_000, 123_456])
  func found(from rate: Double, limit: Double) {
    var search = LimitSearch(from: rate)
    #expect(rates(&search, holdsUpTo: limit).count < 100)
    let held = search.held ?? 0
    #expect(held <= limit && held > limit * 0.98)
  }

  @Test("The rate is raised by half after two windows that hold")
  func raise() {
    var search = LimitSearch(from: 100)
    #expect(search.first == .measure(100))
    #expect(search.next(isHeld: true) == .measure(100))
    #expect(search.next(isHeld: true) == .measure(150))
  }

  @Test("A rate holds or breaks by two of three windows")
  func twoOfThree() {
    var search = LimitSearch(from: 100)
    #expect(search.next(isHeld: false) == .measure(100))
    #expect(search.next(isHeld: true) == .measure(100))
    #expect(search.next(isHeld: true) == .measure(150))
    #expect(search.next(isHeld: true) == .measure(150))
    #expect(search.next(isHeld: false) == .measure(150))
    #expect(search.held == 100 && search.broken == nil)
    _ = search.next(isHeld: false)
    #expect(search.held == 100 && search.broken == 150)
  }

  @Test("Where no rate holds there is no limit, and the search ends")
  func nothingHolds() {
    var search = LimitSearch(from: 100)
    #expect(rates(&search, holdsUpTo: 0).count < 100)
    #expect(search.held == nil)
  }

  @Test("Where every rate holds the search ends at a rate that no generator sends")
  func everythingHolds() {
    var search = LimitSearch(from: 100)
    #expect(rates(&search, holdsUpTo: .infinity).count < 100)
    #expect(search.broken == nil && search.held ?? 0 > 1e8)
  }
}
