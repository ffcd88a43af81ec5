/// A search for the highest rate at which a condition holds.
///
/// The rate is raised by half until the condition breaks, and then halfway (geometrically) between the highest that held and the
/// lowest that broke, until these differ by at most 2 %. At each rate two of at most three windows decide.
struct LimitSearch: Sendable {
  /// The next step after a window.
  enum Step: Equatable {
    /// Another window at this rate, in requests a second.
    case measure(Double)
    /// The limit is found, or there is none.
    case ended
  }

  /// The lowest rate that is tried.
  private static let least = 0.5
  /// The highest rate that is tried, which no generator sends.
  private static let most = 1e9

  /// The highest rate that held.
  private(set) var held: Double?
  /// The lowest rate that broke.
  private(set) var broken: Double?
  private var rate: Double
  private var windows: (held: Int, broken: Int) = (0, 0)

  /// - Parameter rate: the first rate, in requests a second.
  init(from rate: Double) {
    self.rate = rate
  }

  /// The first window.
  var first: Step { .measure(rate) }

  /// Takes the result of a window at the rate that was to be measured.
  mutating func next(isHeld: Bool) -> Step {
    if isHeld { windows.held += 1 } else { windows.broken += 1 }
    guard windows.held == 2 || windows.broken == 2 else { return .measure(rate) }
    if windows.held == 2 { held = rate } else { broken = rate }
    windows = (0, 0)
    switch (held, broken) {
    case (let held?, let broken?):
      guard broken / held > 1.02 else { return .ended }
      rate = (held * broken).squareRoot()
    case (let held?, nil): rate = held * 1.5
    case (nil, let broken?): rate = broken / 1.5
    case (nil, nil): break
    }
    return (Self.least...Self.most).contains(rate) ? .measure(rate) : .ended
  }
}
