/// The waiting tasks, in the order of their arrival; each may leave.
struct WaitingLine<Waiter: Sendable>: Sendable {
  /// The ids in order; those before `first`, and those that have left, wait no more.
  private var ids: [Int] = []
  private var first = 0
  private var waiters: [Int: Waiter] = [:]

  var count: Int { waiters.count }

  mutating func append(_ waiter: Waiter, id: Int) {
    ids.append(id)
    waiters[id] = waiter
  }

  /// Takes out who came first.
  mutating func popFirst() -> Waiter? {
    while first < ids.count {
      defer { first += 1 }
      if let waiter = waiters.removeValue(forKey: ids[first]) { return waiter }
    }
    return nil
  }

  /// Takes out one of them; nil if it does not wait.
  mutating func remove(_ id: Int) -> Waiter? {
    waiters.removeValue(forKey: id)
  }
}
