/// One observed part of the state: its value when last looked at, and who waits for it to differ from what they got.
///
/// The part is *active* while a task waits for it: the selections then look at it in every pass, so that its value is that of the
/// last pass, and a task that begins to wait needs this part's lock alone, not the store's lock. Without a waiting task it costs
/// nothing, and the next one to wait brings the value up to date with the lock.
@usableFromInline
final class ObservedValue<State: Sendable, Value: Equatable & Sendable>: ObservedPart<State>, @unchecked Sendable {
  /// The result of a request for a value.
  enum Offer {
    /// This is news to it.
    case value(Value)
    /// The observer waits, and is signalled when there is a new value.
    case waiting
    /// The value has to be brought up to date first.
    case inactive
  }

  private struct Part {
    var value: Value?
    var isActive = false
    var waiting = IndexedList<ValueObserver<Value>>()

    /// Delivers the value to the observer if it differs from the last one delivered, and registers the observer otherwise.
    mutating func offer(to observer: ValueObserver<Value>) -> Offer {
      if let value, observer.takes(value) { return .value(value) }
      waiting.insert(observer)
      return .waiting
    }

    /// Takes over the newest value; returns those who wait and for whom it is news.
    mutating func correct(to now: Value) -> [Waiter] {
      guard value != now else { return [] }
      value = now
      var news: [Waiter] = []
      for observer in waiting.takeAll() {
        if observer.hasGot(now) { _ = offer(to: observer) } else { news.append(observer.waiter) }
      }
      return news
    }
  }

  private let get: @Sendable (State) -> Value
  private let part = Lock(Part())

  /// The number of observers, waiting or not; guarded by the store's lock.
  var observers = 0

  init(get: @escaping @Sendable (State) -> Value) {
    self.get = get
  }

  /// Delivers the value to `observer` if it is new to the observer and this part is active.
  ///
  /// From any thread.
  func offer(to observer: ValueObserver<Value>) -> Offer {
    part.withLock { part in
      part.isActive ? part.offer(to: observer) : .inactive
    }
  }

  /// Delivers the value of `state` to `observer` if it is new to the observer; adds to `told` the others for whom it is.
  ///
  /// This part is active from then on, unless no more states come. With the store's lock.
  func offer(
    _ state: State, to observer: ValueObserver<Value>, isLast: Bool, telling told: inout [Waiter]
  ) -> Offer {
    let now = get(state)
    let (offer, news): (Offer, [Waiter]) = part.withLock { part in
      let news = part.correct(to: now)
      part.isActive = !isLast
      return (part.offer(to: observer), news)
    }
    told += news
    return offer
  }

  /// Removes `observer`.
  ///
  /// From any thread.
  func remove(_ observer: ValueObserver<Value>) {
    part.withLock { $0.waiting.remove(observer) }
  }

  override func evaluate(_ state: State, into told: inout [Waiter]) -> Bool {
    let now = get(state)
    let (news, isActive): ([Waiter], Bool) = part.withLock { part in
      guard !part.waiting.isEmpty else {
        part.isActive = false
        return ([], false)
      }
      return (part.correct(to: now), true)
    }
    told += news
    return isActive
  }

  override func end(into told: inout [Waiter]) {
    let waiting = part.withLock { part in
      part.isActive = false
      return part.waiting.takeAll().map(\.waiter)
    }
    told += waiting
  }
}

/// One observer of a part of the state.
///
/// What it holds is guarded by the lock of that part.
@usableFromInline
final class ValueObserver<Value: Equatable & Sendable>: Indexed, @unchecked Sendable {
  let waiter = Waiter()

  /// The index of this observer among those that wait for the value.
  var index: Int?

  /// The value delivered last.
  private var delivered: Value?

  /// Whether it got this value last.
  func hasGot(_ value: Value) -> Bool { delivered == value }

  /// Notes a value as delivered, unless it equals the one before.
  func takes(_ value: Value) -> Bool {
    guard delivered != value else { return false }
    delivered = value
    return true
  }
}

/// The parts of one store's state that are observed, each evaluated once a pass however many observe it.
///
/// A pass looks only at parts for which a task waits, and continues from a cursor, so that the lock is held for a few parts
/// at a time. Guarded by the store's lock.
@usableFromInline
final class Selections<State: Sendable> {
  /// The number of parts that are evaluated in one step.
  static var partsPerTurn: Int { 64 }

  /// Whether a pass is on its way or under way.
  private var isPassing = false

  /// The revision that the last pass began with.
  private var passed = 0

  private var byKeyPath: [AnyKeyPath: ObservedPart<State>] = [:]
  private var awaited = IndexedList<ObservedPart<State>>()
  private var cursor = 0

  /// Whether a task waits and no pass has been started.
  var isAwaited: Bool { !isPassing && !awaited.isEmpty }

  /// Whether a task waits whose part may have changed by `revision`; a pass is under way then.
  func beginsPass(at revision: Int) -> Bool {
    guard isAwaited, passed != revision else { return false }
    isPassing = true
    return true
  }

  /// Whether it knows no part; a part that a task awaits without an observer comes back with its next observer.
  var isEmpty: Bool { byKeyPath.isEmpty && awaited.isEmpty && !isPassing }

  /// The number of key paths with observers.
  var keyPathCount: Int { byKeyPath.count }

  /// The part at a key path, the same one for all its observers.
  func part<Value: Equatable & Sendable>(
    at keyPath: AnyKeyPath, make: () -> ObservedValue<State, Value>
  ) -> ObservedValue<State, Value> {
    if let known = byKeyPath[keyPath] as? ObservedValue<State, Value> { return known }
    let made = make()
    byKeyPath[keyPath] = made
    return made
  }

  /// Forgets the part at a key path, which has no observer any more.
  func forget(_ keyPath: AnyKeyPath) {
    byKeyPath[keyPath] = nil
  }

  /// Counts the part among those that a task waits for.
  func await(_ part: ObservedPart<State>) {
    awaited.insert(part)
  }

  /// Evaluates some of the parts on `state`; says who is to be told, and whether the pass has ended.
  func pass(over state: State, revision: Int) -> (told: [Waiter], isOver: Bool) {
    if cursor == 0 { passed = revision }
    var told: [Waiter] = []
    var left = Self.partsPerTurn
    while cursor < awaited.elements.count, left > 0 {
      let part = awaited.elements[cursor]
      if part.evaluate(state, into: &told) { cursor += 1 } else { awaited.remove(part) }
      left -= 1
    }
    guard cursor >= awaited.elements.count else { return (told, false) }
    cursor = 0
    guard awaited.isEmpty || passed == revision else { return (told, false) }
    isPassing = false
    return (told, true)
  }

  /// Resumes all waiting tasks, for the last time.
  func end() -> [Waiter] {
    var told: [Waiter] = []
    for part in awaited.takeAll() { part.end(into: &told) }
    cursor = 0
    return told
  }
}

/// One observed part of the state, whatever its type.
@usableFromInline
class ObservedPart<State: Sendable>: Indexed, @unchecked Sendable {
  /// The index of this part among those that are awaited, while it is; guarded by the store's lock.
  final var index: Int?

  /// Adds to `told` the observers for which the part of `state` is new; false if no task waits for the part any more.
  func evaluate(_ state: State, into told: inout [Waiter]) -> Bool { false }

  /// Adds all who wait to `told`, for the last time.
  func end(into told: inout [Waiter]) {}
}
