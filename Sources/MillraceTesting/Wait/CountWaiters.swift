/// The tasks that wait until a count reaches their numbers.
struct CountWaiters<Waiter> {
  private var entries: [(id: Int, count: Int, waiter: Waiter)] = []

  /// Whether no task waits.
  var isEmpty: Bool { entries.isEmpty }

  /// Adds one that waits for `count`, behind those that are there.
  mutating func add(_ waiter: Waiter, id: Int, count: Int) {
    entries.append((id, count, waiter))
  }

  /// Takes out those whose number is reached by `count`, first come first.
  mutating func take(reachedBy count: Int) -> [Waiter] {
    let reached = entries.filter { $0.count <= count }
    guard !reached.isEmpty else { return [] }
    entries.removeAll { $0.count <= count }
    return reached.map(\.waiter)
  }

  /// Takes out the one with this id, if it is still there.
  mutating func remove(_ id: Int) -> Waiter? {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
    return entries.remove(at: index).waiter
  }
}

extension CountWaiters: Sendable where Waiter: Sendable {}
