import Testing

@testable import MillraceLoad

@Suite("LimitSearch")
struct LimitSearchTests {
  /// Searches a system that holds up to a limit, and returns the rates that were measured.
  private func rates(_ search: inout LimitSearch, holdsUpTo limit: Double) -> [Double] {
    var (rates, step) = ([Double](), search.first)
    while case .measure(let rate) = step, rates.count < 1_000 {
      rates.append(rate)
      step = search.next(rate <= limit ? .held : .broken)
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
    #expect(search.next(.held) == .measure(100))
    #expect(search.next(.held) == .measure(150))
  }

  @Test("A rate holds or breaks by two of three windows")
  func twoOfThree() {
    var search = LimitSearch(from: 100)
    #expect(search.next(.broken) == .measure(100))
    #expect(search.next(.held) == .measure(100))
    #expect(search.next(.held) == .measure(150))
    #expect(search.next(.held) == .measure(150))
    #expect(search.next(.broken) == .measure(150))
    #expect(search.held == 100 && search.broken == nil)
    _ = search.next(.broken)
    #expect(search.held == 100 && search.broken == 150)
  }

  @Test("Where no rate holds there is no limit, and the search ends")
  func nothingHolds() {
    var search = LimitSearch(from: 100)
    #expect(rates(&search, holdsUpTo: 0).count < 100)
    #expect(search.held == nil)
  }

  @Test(
    "The lowest rate that is tried is one request in two seconds",
    arguments: [(0.76, true), (0.75, true), (0.74, false)])
  func lowest(broken rate: Double, isTried: Bool) {
    var search = LimitSearch(from: rate)
    _ = search.next(.broken)
    #expect(search.next(.broken) == (isTried ? .measure(rate / 1.5) : .ended))
  }

  @Test("Where every rate holds the search ends at a rate that no generator sends")
  func everythingHolds() {
    var search = LimitSearch(from: 100)
    #expect(rates(&search, holdsUpTo: .infinity).count < 100)
    #expect(search.broken == nil && search.held ?? 0 > 1e8)
  }

  @Test("Windows that the generator spoilt decide nothing, up to the fifth of a rate")
  func undecided() {
    var search = LimitSearch(from: 100)
    for _ in 0..<4 { #expect(search.next(.undecided) == .measure(100)) }
    #expect(search.next(.held) == .measure(100))
    #expect(search.next(.held) == .measure(150))
    #expect(search.held == 100 && search.broken == nil && !search.isGeneratorLimit)
    for _ in 0..<4 { #expect(search.next(.undecided) == .measure(150)) }
    #expect(search.next(.undecided) == .measure((100.0 * 150).squareRoot()))
    #expect(search.broken == 150 && search.isGeneratorLimit)
  }

  @Test("The limit is the system's when it broke a lower rate than the generator")
  func systemBelowGenerator() {
    var search = LimitSearch(from: 100)
    for _ in 0..<5 { _ = search.next(.undecided) }
    #expect(search.broken == 100 && search.isGeneratorLimit)
    for _ in 0..<2 { _ = search.next(.broken) }
    #expect(search.broken == 100 / 1.5 && !search.isGeneratorLimit)
  }

  @Test("The estimate of windows is that of a search which goes as it assumes")
  func estimate() {
    var search = LimitSearch(from: 100)
    var (estimates, step, count) = ([search.windowsLeft], search.first, 0)
    while case .measure(let rate) = step {
      count += 1
      step = search.next(rate <= 99 ? .held : .broken)
      estimates.append(search.windowsLeft)
    }
    // Two windows at 100, which break; two at 66.7, which hold; and five rates between.
    #expect(count == 14 && estimates[0] == 12 && Array(estimates[2..<13]) == (2...12).reversed())
  }
}
