import Millrace
import MillraceTesting

/// What the simulated store is asked to do; all that it does comes from this.
struct Errand: Sendable, Hashable, CustomStringConvertible {
  enum Meeting: CaseIterable {
    case concurrent, pair, serial, latest, exclusive, shared
    /// `serial` with a breaker.
    case guarded
    /// `latest` with a debounce.
    case debounced

    /// How many handlers may be out at once, those included that were cancelled.
    var mostOut: Int? {
      switch self {
      case .serial, .guarded: 1
      case .pair: 2
      case .concurrent, .latest, .exclusive, .shared, .debounced: nil
      }
    }

    /// How many may be out that were not cancelled.
    var mostHeard: Int? {
      switch self {
      case .latest, .exclusive, .shared, .debounced: 1
      case .concurrent, .pair, .serial, .guarded: mostOut
      }
    }

    /// Whether one that comes waits neither for the turn of its key nor for its pace.
    var isAtOnce: Bool {
      switch self {
      case .concurrent, .latest, .exclusive, .shared: true
      case .pair, .serial, .guarded, .debounced: false
      }
    }
  }

  enum End: CaseIterable {
    case finish, fail, decide, reject
  }

  /// What opens a breaker, as long as a world lasts, and for how long.
  static let breaker = Plan.Breaker(failures: 2, within: .seconds(600), openFor: .milliseconds(50))

  /// How long one that is debounced waits.
  static let debounce = Duration.milliseconds(10)

  var number: Int
  /// How long its sender waits before, and how long after if it cancels then.
  var delay = Duration.zero
  var cancelAfter: Duration?
  /// Whether all of its key, or all there are, are cancelled then.
  var cancelsKey = false
  var cancelsAll = false
  var meeting = Meeting.concurrent
  var end = End.finish
  /// How long each part of the handler takes; it emits after each.
  var parts: [Duration] = []
  /// How long the handler goes on when it is cancelled.
  var deafFor: Duration?
  var timeout: Duration?
  var attemptTimeout: Duration?
  var attempts = 1
  /// What the handler of its first attempt sends, when its first part is done and before it emits that.
  var sends: [Errand] = []

  var description: String {
    let times = [
      ("deaf for", deafFor), ("timeout", timeout), ("attempt timeout", attemptTimeout),
      ("cancelled after", cancelAfter),
    ]
    let terms = times.compactMap { name, time in time.map { " \(name) \($0)" } } + sends.map { " sends (\($0))" }
    return "\(number) after \(delay) \(meeting) \(end) \(parts) attempts \(attempts)\(terms.joined())"
  }

  var plan: Plan { plan(meeting: meeting) }

  /// Its plan, if it met the others in this way, with the key that it has in any case.
  func plan(meeting way: Meeting) -> Plan {
    var plan: Plan =
      switch way {
      case .concurrent where meeting == .concurrent: .concurrent
      case .concurrent: .concurrent(max: .max, key: meeting)
      case .pair: .concurrent(max: 2, key: meeting)
      case .serial: .serial(key: meeting)
      case .latest: .latest(key: meeting)
      case .exclusive: .exclusive(key: meeting)
      case .shared: .shared(key: meeting)
      case .guarded: .serial(key: meeting).breaker(Self.breaker)
      case .debounced: .latest(key: meeting).debounce(Self.debounce)
      }
    if let timeout { plan = plan.timeout(timeout) }
    if let attemptTimeout { plan = plan.attemptTimeout(attemptTimeout) }
    if attempts > 1 { plan = plan.retry(attempts, backoff: .constant(.milliseconds(5)), afterCommits: true) }
    return plan
  }

  /// An errand that meets others in one of these ways; a quarter of them sends another one.
  static func random(meeting ways: [Meeting], _ random: inout SeededGenerator) -> Errand {
    var errand = one(meeting: ways, &random)
    guard Int.random(in: 0..<4, using: &random) == 0 else { return errand }
    errand.sends = [one(meeting: ways, &random)]
    // Without time for the first part it is sent while the errand itself is.
    let part = Bool.random(using: &random) ? 0 : Int.random(in: 1...20, using: &random)
    errand.parts = [.milliseconds(part)] + errand.parts
    return errand
  }

  private static func one(meeting ways: [Meeting], _ random: inout SeededGenerator) -> Errand {
    var errand = Errand(number: 0)
    errand.meeting = ways.randomElement(using: &random)!
    errand.end = [.finish, .finish, .finish, .fail, .decide, .reject].randomElement(using: &random)!
    errand.parts = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      .milliseconds(Int.random(in: 0...20, using: &random))
    }
    if Int.random(in: 0..<4, using: &random) == 0 {
      errand.deafFor = .milliseconds(Int.random(in: 1...30, using: &random))
    }
    if Int.random(in: 0..<5, using: &random) == 0 {
      errand.timeout = .milliseconds(Int.random(in: 1...40, using: &random))
    }
    if Int.random(in: 0..<5, using: &random) == 0 {
      errand.attemptTimeout = .milliseconds(Int.random(in: 1...30, using: &random))
    }
    if Int.random(in: 0..<4, using: &random) == 0 { errand.attempts = 2 }
    errand.delay = .milliseconds(Int.random(in: 0...20, using: &random))
    if Int.random(in: 0..<4, using: &random) == 0 {
      errand.cancelAfter = .milliseconds(Int.random(in: 0...30, using: &random))
    }
    errand.cancelsKey = Int.random(in: 0..<10, using: &random) == 0
    errand.cancelsAll = Int.random(in: 0..<20, using: &random) == 0
    return errand
  }
}
