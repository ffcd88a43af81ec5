/// The status of an alert; times are those of the observations, counted from the first start of the service.
///
/// `ok → pending → firing → resolved`, and from `resolved` back to `pending` when the condition is met again. A
/// condition that ends before it has held long enough goes from `pending` back to where it came from.
enum AlertStatus: Codable, Sendable, Equatable {
  /// The condition has not been met, or never for long enough.
  case ok
  /// The condition has been met since then, for a number of observations, but not yet for long enough.
  case pending(since: Duration, observations: Int, resolved: Duration?)
  /// The condition has held long enough; `since` is when it began to fire.
  case firing(since: Duration)
  /// The condition held long enough once, and ended then.
  case resolved(at: Duration)

  /// The status after one more observation.
  func next(isMet: Bool, at time: Duration, hold: AlertRule.Hold) -> AlertStatus {
    guard isMet else {
      switch self {
      case .ok, .pending(_, _, resolved: nil): return .ok
      case .firing: return .resolved(at: time)
      case .resolved(let end), .pending(_, _, resolved: let end?): return .resolved(at: end)
      }
    }
    switch self {
    case .ok: return Self.held(since: time, observations: 1, resolved: nil, at: time, hold: hold)
    case .resolved(let end): return Self.held(since: time, observations: 1, resolved: end, at: time, hold: hold)
    case .pending(let since, let observations, let end):
      return Self.held(since: since, observations: observations.incremented, resolved: end, at: time, hold: hold)
    case .firing: return self
    }
  }

  /// Firing when the condition has held long enough, pending otherwise.
  private static func held(
    since: Duration, observations: Int, resolved: Duration?, at time: Duration, hold: AlertRule.Hold
  ) -> AlertStatus {
    let isLongEnough =
      switch hold {
      case .time(let limit): time - since >= limit
      case .observations(let limit): observations >= limit
      }
    return isLongEnough
      ? .firing(since: time) : .pending(since: since, observations: observations, resolved: resolved)
  }

  /// Leaves a time out in which nothing was observed: a condition that is pending has held that much shorter.
  mutating func shift(by pause: Duration) {
    guard case .pending(let since, let observations, let resolved) = self else { return }
    self = .pending(since: since + pause, observations: observations, resolved: resolved)
  }

  var isFiring: Bool {
    if case .firing = self { true } else { false }
  }

  /// One word for the status.
  var word: String {
    switch self {
    case .ok: "ok"
    case .pending: "pending"
    case .firing: "firing"
    case .resolved: "resolved"
    }
  }

  /// The time at which the status began, or nil for `ok`.
  var since: Duration? {
    switch self {
    case .ok: nil
    case .pending(let time, _, _), .firing(let time), .resolved(let time): time
    }
  }
}
