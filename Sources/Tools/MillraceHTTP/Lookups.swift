/// Look-ups of names that are wanted, under way and waiting for a thread; a pure value, told of each event.
///
/// A name is looked up once at a time, however many wait for it: one that never answers takes one thread and no more.
struct Lookups<Waiter> {
  /// The state of a name, which is in `names` as long as a caller waits for it or a thread looks it up.
  private struct Name {
    var isStarted = false
    var waiters: [Int: Waiter] = [:]
  }

  /// The most names that are looked up at the same time.
  let limit: Int
  private var names: [String: Name] = [:]
  private var started = 0
  /// The names that wait for a thread, in the order in which they were wanted.
  private var queue: [String] = []

  init(limit: Int) {
    self.limit = limit
  }

  /// The number of names that are looked up or wait to be.
  var count: Int { names.count }

  /// Adds a waiter; true when a thread is to look up the name now.
  mutating func join(_ name: String, id: Int, _ waiter: Waiter) -> Bool {
    let isNew = names[name] == nil
    names[name, default: Name()].waiters[id] = waiter
    guard isNew else { return false }
    guard started < limit else {
      queue.append(name)
      return false
    }
    start(name)
    return true
  }

  /// Removes a waiter, which is to be told that it has left; nil when it has its answer already.
  mutating func leave(_ name: String, id: Int) -> Waiter? {
    guard let waiter = names[name]?.waiters.removeValue(forKey: id) else { return nil }
    if let rest = names[name], rest.waiters.isEmpty, !rest.isStarted {
      names[name] = nil
      queue.removeAll { $0 == name }
    }
    return waiter
  }

  /// Ends the look-up of a name: who waits for it, and the name that the thread is to look up next.
  mutating func finish(_ name: String) -> (waiters: [Waiter], next: String?) {
    let waiters = names.removeValue(forKey: name)?.waiters.values.map { $0 } ?? []
    started -= 1
    guard !queue.isEmpty else { return (waiters, nil) }
    let next = queue.removeFirst()
    start(next)
    return (waiters, next)
  }

  private mutating func start(_ name: String) {
    names[name]?.isStarted = true
    started += 1
  }
}
