import Millrace
import MillraceTesting

/// An action of the simulated store, with everything that its handler does.
struct Errand: Sendable, Hashable, CustomStringConvertible {
  enum Meeting: CaseIterable {
    case concurrent, pair, serial, latest, exclusive, shared
    /// `serial` with a breaker.
    case guarded
    /// `latest` with a debounce.
    case debounced

    /// The number of handlers that may run at once, cancelled ones included.
    var mostOut: Int? {
      switch self {
      case .serial, .guarded: 1
      case .pair: 2
      case .concurrent, .latest, .exclusive, .shared, .debounced: nil
      }
    }

    /// The number of handlers that may run at once without having been cancelled.
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

  /// A breaker whose window is longer than any world.
  static let breaker = Plan.Breaker(failures: 2, within: .seconds(600), openFor: .milliseconds(50))

  /// The time that a debounced errand waits.
  static let debounce = Duration.milliseconds(10)

  var number: Int
  /// The time that its sender waits before it sends, and again before it cancels.
  var delay = Duration.zero
  var cancelAfter: Duration?
  /// Whether all of its key, or all there are, are cancelled then.
  var cancelsKey = false
  var cancelsAll = false
  var meeting = Meeting.concurrent
  var end = End.finish
  /// The durations of the parts of the handler, which emits after each.
  var parts: [Duration] = []
  /// The time that the handler continues after its cancellation; nil if it returns at once.
  var deafFor: Duration?
  var timeout: Duration?
  var attemptTimeout: Duration?
  var attempts = 1
  /// The errands that the handler of the first attempt sends after its first part, before it emits that part.
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
