/// The times at which the addresses of a host are tried, as RFC 8305 has them: a pure value.
///
/// The next address is due a quarter of a second after the one before it, or once an attempt has failed, whichever is earlier. An address
/// that drops packets then takes no time from the others.
struct AddressSchedule {
  /// The time between two attempts.
  static let delay: Duration = .milliseconds(250)

  private let count: Int
  private var started = 0
  private var due: ContinuousClock.Instant

  /// - Parameter count: the number of addresses, of which the first is due at `now`.
  init(count: Int, at now: ContinuousClock.Instant) {
    self.count = count
    due = now
  }

  /// The time at which the next address is due; nil when all were started.
  var nextStart: ContinuousClock.Instant? { started < count ? due : nil }

  /// Starts the next address if it is due, and returns its index.
  mutating func start(at now: ContinuousClock.Instant) -> Int? {
    guard let nextStart, nextStart <= now else { return nil }
    due = now + Self.delay
    defer { started += 1 }
    return started
  }

  /// Notes that an attempt has failed, so that the next address is due.
  mutating func fail(at now: ContinuousClock.Instant) { due = min(due, now) }

  /// The addresses in the order in which they are tried: families take turns, each in the order of its addresses, so that a family which
  /// does not lead anywhere holds up the other one by one attempt.
  static func interleaved<Address>(_ addresses: [Address], by family: (Address) -> Int32) -> [Address] {
    guard let first = addresses.first.map(family) else { return [] }
    let (own, others) = (addresses.filter { family($0) == first }, addresses.filter { family($0) != first })
    return (0..<max(own.count, others.count)).flatMap { own.dropFirst($0).prefix(1) + others.dropFirst($0).prefix(1) }
  }
}
