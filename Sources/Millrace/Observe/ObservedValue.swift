/// One observed part of the state: its value when last looked at, and who waits for it to differ from what they got.
///
/// It is *active* while somebody waits for it: the selections then look at it in every pass, so that its value is as new as the
/// last pass, and one that comes to wait needs this part's lock alone, not the store's lock. With nobody waiting it costs
/// nothing, and the next one to wait brings the value up to date with the lock.
@usableFromInline
final class ObservedValue<State: Sendable, Value: Equatable & Sendable>: ObservedPart<State>, @unchecked Sendable {
  /// What became of an observer that asked for a value.
  enum Offer {
    /// This is news to it.
    case value(Value)
    /// It waits, and is signalled when there is news.
    case waiting
    /// The value has to be brought up to date first.
    case inactive
  }

  private struct Part {
    var value: Value?
    var isActive = false
    var waiting = PlacedList<ValueObserver<Value>>()

    /// Gives the observer the value if it differs from what that got last, or lets it wait.
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

  /// How many observers there are, waiting or not; guarded by the store's lock.
  @exclusivity(unchecked) var observers = 0

  init(get: @escaping @Sendable (State) -> Value) {
    self.get = get
  }

  /// Gives `observer` the value if that is news and this part is active.
  ///
  /// From any thread.
  func offer(to observer: ValueObserver<Value>) -> Offer {
    part.withLock { part in
      part.isActive ? part.offer(to: observer) : .inactive
    }
  }

  /// Gives `observer` the value of `state` if that is news; adds to `told` the others for whom it is.
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

  /// Lets `observer` wait no more.
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
final class ValueObserver<Value: Equatable & Sendable>: Placed, @unchecked Sendable {
  let waiter = Waiter()

  /// Where the observed value holds this observer while it waits.
  @exclusivity(unchecked) var place: Int?

  /// The value delivered last.
  @exclusivity(unchecked) private var delivered: Value?

  /// Whether it got this value last.
  func hasGot(_ value: Value) -> Bool { delivered == value }

  /// Notes a value as delivered, unless it equals the one before.
  func takes(_ value: Value) -> Bool {
    guard delivered != value else { return false }
    delivered = value
    return true
  }
}
