public import Synchronization

/// What a store looks at for its observers with every commit, whatever the type of the state.
///
/// All but `lingerers` is guarded by the store's lock.
@usableFromInline
class AnyObserverRegistry {
  /// Observers that wait for any newer state.
  @exclusivity(unchecked) private final var parked = PlacedList<Waiter>()

  /// The revision that observers were last told of.
  @exclusivity(unchecked) private final var published: Int

  /// Whether parts of the state are waited for, and nobody is on the way to evaluate them.
  @exclusivity(unchecked) final var needsPass = false {
    didSet { isAwaited = needsPass || !parked.isEmpty }
  }

  /// Whether somebody must be told when the lock is free.
  @exclusivity(unchecked) @usableFromInline private(set) final var isAwaited = false

  /// Whether somebody looks at each single commit.
  @exclusivity(unchecked) @usableFromInline final var needsEach = false

  /// Observers of states that were delivered one, and how many there are of values.
  @exclusivity(unchecked) final var positions = PlacedList<ObserverPosition>()
  @exclusivity(unchecked) final var valueObservers = 0

  /// Observers that look for a newer state before they park.
  private final let lingerers = Atomic(0)

  init(published: Int) {
    self.published = published
  }

  /// Whether there is no observer, be it one that does not wait now.
  final var isUnobserved: Bool { parked.isEmpty && positions.isEmpty && valueObservers == 0 }

  /// Lets the waiter wait for a newer state.
  final func park(_ waiter: Waiter) {
    parked.insert(waiter)
    isAwaited = true
  }

  /// Lets the waiter wait no more.
  final func unpark(_ waiter: Waiter) {
    parked.remove(waiter)
    isAwaited = needsPass || !parked.isEmpty
  }

  /// Who is to be told of `revision`; nobody is told twice of one.
  final func publish(_ revision: Int) -> [Waiter] {
    guard revision != published else { return [] }
    published = revision
    return takeParked()
  }

  /// Everybody who waits for a newer state.
  final func takeParked() -> [Waiter] {
    let taken = parked.takeAll()
    isAwaited = needsPass
    return taken
  }

  /// Looks for a newer revision than `seen` for a microsecond or so, if nobody else does; says whether there is one.
  ///
  /// To park, and to be woken, costs several times that. From any thread.
  @usableFromInline
  final func linger(after seen: Int, newest: borrowing Atomic<Int>) -> Bool {
    guard lingerers.compareExchange(expected: 0, desired: 1, ordering: .relaxed).exchanged else { return false }
    defer { lingerers.store(0, ordering: .relaxed) }
    for _ in 0..<AnyObserverRegistry.looks {
      if newest.load(ordering: .relaxed) > seen { return true }
      pause(1)
    }
    return false
  }

  private static var looks: Int { 64 }
}
