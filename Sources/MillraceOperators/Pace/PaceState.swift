/// The times at which the elements of one base are due, as a value without tasks and locks.
///
/// The base is read on while time runs, for that is what decides; while an element is due it is not, so that at most one
/// element is looked ahead. `now` and all times are those of one clock.
struct PaceState<Element: Sendable, Failure: Error>: OperatorState {
  typealias Actions = OperatorActions<Element, Failure>

  enum Rule: Sendable {
    /// An element is due when this time has passed without another one.
    case debounce(Duration)
    /// An element is due at once, the next one not before this time has passed since it was delivered: the newest by
    /// then, or the first.
    case throttle(Duration, latest: Bool)
  }

  /// The element that was read and is not due.
  private enum Slot {
    /// Nothing, and no time runs.
    case empty
    /// The element that came while another one was due; no time runs before that is taken.
    case ahead(Element)
    /// Time runs until then. Under `debounce` there is an element; under `throttle` there may be.
    case running(until: Duration, Element?)
  }

  private let rule: Rule
  private var slot = Slot.empty
  private var buffer = DownstreamBuffer<Element, Failure>.quiet([])
  private var isAsked = false
  /// An alarm is set; it may be for an earlier time than the one that runs, and is set anew then.
  private var hasAlarm = false

  init(_ rule: Rule) {
    self.rule = rule
  }

  mutating func demand(at now: Duration) -> Actions {
    settle(at: now)
    let answer = buffer.demand()
    if case .success(_?) = answer { delivered(at: now) }
    return goOn(answer)
  }

  mutating func receive(_ element: Element, from base: Int, at now: Duration) -> Actions {
    isAsked = false
    var answer = settle(at: now)
    switch (slot, rule) {
    case (.empty, _) where buffer.hasDue:
      slot = .ahead(element)
    case (.empty, .debounce(let interval)), (.running, .debounce(let interval)):
      slot = .running(until: now + interval, element)
    case (.empty, .throttle):
      answer = buffer.offer(element)
      if answer != nil { delivered(at: now) }
    case (.running(let end, let first), .throttle(_, let latest)):
      slot = .running(until: end, latest ? element : first ?? element)
    case (.ahead, _):
      preconditionFailure(
        "A reader that looked ahead must advance before it asks again, and each element was asked for.")
    }
    return goOn(answer)
  }

  mutating func end(_ base: Int, failure: Failure?) -> Actions {
    isAsked = false
    var answer: Result<Element?, Failure>?
    switch slot {
    case .ahead(let element), .running(_, .some(let element)): answer = buffer.offer(element)
    case .empty, .running(_, .none): break
    }
    slot = .empty
    let end = buffer.finish(failure)
    return Actions(answer: answer ?? end, closes: true)
  }

  mutating func wake(at now: Duration) -> Actions {
    hasAlarm = false
    return goOn(settle(at: now))
  }

  mutating func cancel() -> Actions {
    slot = .empty
    return Actions(answer: buffer.cancel(), closes: true)
  }

  /// Makes due what is due by now, whether the alarm has come or is late.
  @discardableResult
  private mutating func settle(at now: Duration) -> Result<Element?, Failure>? {
    guard case .running(let end, let element) = slot, end <= now else { return nil }
    slot = .empty
    guard let element else { return nil }
    let answer = buffer.offer(element)
    if answer != nil { delivered(at: now) }
    return answer
  }

  /// The consumer got an element: time runs for what comes behind it.
  private mutating func delivered(at now: Duration) {
    switch (slot, rule) {
    case (.ahead(let element), .debounce(let interval)): slot = .running(until: now + interval, element)
    case (.ahead(let element), .throttle(let interval, _)): slot = .running(until: now + interval, element)
    case (.empty, .throttle(let interval, _)): slot = .running(until: now + interval, nil)
    case (.empty, .debounce), (.running, _): break
    }
  }

  /// Asks the base and sets the alarm, as far as that has to be.
  private mutating func goOn(_ answer: Result<Element?, Failure>?) -> Actions {
    var actions = Actions(answer: answer)
    guard !buffer.hasEnded else { return actions }
    if !isAsked, !buffer.hasDue {
      isAsked = true
      actions.asked = [0]
    }
    if !hasAlarm, case .running(let end, _) = slot {
      hasAlarm = true
      actions.alarm = end
    }
    return actions
  }
}
