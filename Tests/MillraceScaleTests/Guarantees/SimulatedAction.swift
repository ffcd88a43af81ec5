import Millrace
import MillraceTesting

/// An action of the simulated store, with everything that its handler does.
struct SimulatedAction: Sendable, Hashable, CustomStringConvertible {
  enum Overlap: CaseIterable {
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

  /// The time that a debounced action waits.
  static let debounce = Duration.milliseconds(10)

  var number: Int
  /// The time that its sender waits before it sends, and again before it cancels.
  var delay = Duration.zero
  var cancelAfter: Duration?
  /// Whether all of its key, or all there are, are cancelled then.
  var cancelsKey = false
  var cancelsAll = false
  var overlap = Overlap.concurrent
  var end = End.finish
  /// The durations of the parts of the handler, which emits after each.
  var parts: [Duration] = []
  /// The time that the handler continues after its cancellation; nil if it returns at once.
  var deafFor: Duration?
  var timeout: Duration?
  var attemptTimeout: Duration?
  var attempts = 1
  /// The actions that the handler of the first attempt sends after its first part, before it emits that part.
  var sends: [SimulatedAction] = []

  var description: String {
    let times = [
      ("deaf for", deafFor), ("timeout", timeout), ("attempt timeout", attemptTimeout),
      ("cancelled after", cancelAfter),
    ]
    let terms = times.compactMap { name, time in time.map { " \(name) \($0)" } } + sends.map { " sends (\($0))" }
    return "\(number) after \(delay) \(overlap) \(end) \(parts) attempts \(attempts)\(terms.joined())"
  }

  var plan: Plan { plan(overlap: overlap) }

  /// Its plan, if it met the others in this way, with the key that it has in any case.
  func plan(overlap way: Overlap) -> Plan {
    var plan: Plan =
      switch way {
      case .concurrent where overlap == .concurrent: .concurrent
      case .concurrent: .concurrent(max: .max, key: overlap)
      case .pair: .concurrent(max: 2, key: overlap)
      case .serial: .serial(key: overlap)
      case .latest: .latest(key: overlap)
      case .exclusive: .exclusive(key: overlap)
      case .shared: .shared(key: overlap)
      case .guarded: .serial(key: overlap).breaker(Self.breaker)
      case .debounced: .latest(key: overlap).debounce(Self.debounce)
      }
    if let timeout { plan = plan.timeout(timeout) }
    if let attemptTimeout { plan = plan.attemptTimeout(attemptTimeout) }
    if attempts > 1 { plan = plan.retry(attempts, backoff: .constant(.milliseconds(5)), afterCommits: true) }
    return plan
  }

  /// An action that meets others in one of these ways; a quarter of them sends another one.
  static func random(overlap ways: [Overlap], _ random: inout SeededGenerator) -> SimulatedAction {
    var action = one(overlap: ways, &random)
    guard Int.random(in: 0..<4, using: &random) == 0 else { return action }
    action.sends = [one(overlap: ways, &random)]
    // Without time for the first part it is sent while the action itself is.
    let part = Bool.random(using: &random) ? 0 : Int.random(in: 1...20, using: &random)
    action.parts = [.milliseconds(part)] + action.parts
    return action
  }

  private static func one(overlap ways: [Overlap], _ random: inout SeededGenerator) -> SimulatedAction {
    var action = SimulatedAction(number: 0)
    action.overlap = ways.randomElement(using: &random)!
    action.end = [.finish, .finish, .finish, .fail, .decide, .reject].randomElement(using: &random)!
    action.parts = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      .milliseconds(Int.random(in: 0...20, using: &random))
    }
    if Int.random(in: 0..<4, using: &random) == 0 {
      action.deafFor = .milliseconds(Int.random(in: 1...30, using: &random))
    }
    if Int.random(in: 0..<5, using: &random) == 0 {
      action.timeout = .milliseconds(Int.random(in: 1...40, using: &random))
    }
    if Int.random(in: 0..<5, using: &random) == 0 {
      action.attemptTimeout = .milliseconds(Int.random(in: 1...30, using: &random))
    }
    if Int.random(in: 0..<4, using: &random) == 0 { action.attempts = 2 }
    action.delay = .milliseconds(Int.random(in: 0...20, using: &random))
    if Int.random(in: 0..<4, using: &random) == 0 {
      action.cancelAfter = .milliseconds(Int.random(in: 0...30, using: &random))
    }
    action.cancelsKey = Int.random(in: 0..<10, using: &random) == 0
    action.cancelsAll = Int.random(in: 0..<20, using: &random) == 0
    return action
  }
}
