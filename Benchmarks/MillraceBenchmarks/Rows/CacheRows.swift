import Millrace

/// The number of tasks that each request an entry again and again, and of the entries, unless a row says otherwise.
private let (callers, entries) = (64, 10)

/// A cache as a service: processor time of a request, of callers that each wait for their answer before the next request.
let cacheRows: [Row] = [
  Row(name: "reference/send-closed-loop", unit: "cpu ns") { size in
    let store = Store(initial: Cache.State(entries: entries), interactor: Cache())
    return await closedLoop(size) { caller in _ = store.send(caller % entries) }
  },
  hits("service/hit", reference: "reference/send-closed-loop", target: 3),
  hits("service/hit-10000-callers", callers: 10_000, reference: "service/hit", target: 1.5),
  hits("service/hit-100000-entries", entries: 100_000, reference: "service/hit", target: 1.5),
  Row(name: "service/hit-children", unit: "cpu ns", reference: "service/hit", target: 1.5, gate: .severalThreads) {
    size in
    let store = Store(
      initial: Caches.State(callers, entries: entries), interactor: Caches(), configuration: manyCallers)
    return try await closedLoop(least: 100, size) { caller in
      let key = caller % entries
      let entry = try await store.request(
        Caches.Action(cache: caller, key: key), returning: { $0.caches[caller]?.entries[key] })
      precondition(entry == key)
    }
  },
  Row(name: "reference/actor-miss", unit: "cpu ns") { size in
    let actors = (0..<callers).map { _ in CacheActor(entries: entries) }
    return await closedLoop(size) { caller in
      let fetched = await actors[caller].entry(of: -1 - caller)
      precondition(fetched > 0)
    }
  },
  misses("service/miss", reference: "reference/actor-miss", target: 4),
  misses("service/miss-10000-callers", callers: 10_000, reference: "service/miss", target: 1.5),
  misses("service/miss-100000-entries", entries: 100_000, reference: "service/miss", target: 1.5),
  Row(name: "service/miss-children", unit: "cpu ns", reference: "service/miss", target: 1.5, gate: .severalThreads) {
    size in
    let store = Store(
      initial: Caches.State(callers, entries: entries), interactor: Caches(), configuration: manyCallers)
    return try await closedLoop(size) { caller in
      let fetched = try await store.request(
        Caches.Action(cache: caller, key: -1), returning: { $0.caches[caller]?.fetched ?? 0 })
      precondition(fetched > 0)
    }
  },
  Row(name: "service/overload", unit: "cpu ns", reference: "reference/actor-miss", target: 1, gate: .severalThreads) {
    size in
    let (slots, upstream) = (3, Countdown(1))
    let store = Store(
      initial: Cache.State(entries: entries), interactor: Cache(upstream: upstream),
      configuration: StoreConfiguration(limits: StoreConfiguration.Limits(runsInFlight: slots, actionsWaiting: 0)))
    let held = (0..<slots).map { store.send(-1_000_000 - $0) }
    let figure = await closedLoop(size) { caller in
      do {
        _ = try await store.request(-1 - caller, returning: \.fetched)
        preconditionFailure("A request was handled that nobody had a slot for.")
      } catch {
        precondition((error as? StoreError)?.outcome?.kind == .rejected)
      }
    }
    upstream.arrive()
    for receipt in held { _ = await receipt.outcome }
    return figure
  },
]

/// Requests of entries that are there.
private func hits(
  _ name: String, callers: Int = callers, entries: Int = entries, reference: String, target: Double
) -> Row {
  Row(name: name, unit: "cpu ns", reference: reference, target: target, gate: .severalThreads) { size in
    let store = Store(initial: Cache.State(entries: entries), interactor: Cache(), configuration: manyCallers)
    return try await closedLoop(of: callers, least: 100, size) { caller in
      let key = caller % entries
      let entry = try await store.request(key, returning: { $0.entries[key] })
      precondition(entry == key)
    }
  }
}

/// Requests of keys that the upstream is asked for.
private func misses(
  _ name: String, callers: Int = callers, entries: Int = entries, reference: String, target: Double
) -> Row {
  Row(name: name, unit: "cpu ns", reference: reference, target: target, gate: .severalThreads) { size in
    let store = Store(initial: Cache.State(entries: entries), interactor: Cache(), configuration: manyCallers)
    return try await closedLoop(of: callers, size) { caller in
      let fetched = try await store.request(-1 - caller, returning: \.fetched)
      precondition(fetched > 0)
    }
  }
}

/// Limits that no row but the overloaded one reaches.
private let manyCallers = StoreConfiguration(
  limits: StoreConfiguration.Limits(runsInFlight: 20_000, actionsWaiting: 20_000))

/// Processor time of a request.
///
/// - Parameter least: the number of requests of a caller at least, so that its task costs little beside them.
private func closedLoop(
  of callers: Int = callers, least: Int = 10, _ size: Size,
  _ request: @escaping @Sendable (_ caller: Int) async throws -> Void
) async rethrows -> Figure {
  let each = max(size.scaled(64_000) / callers, least)
  let figure = try await perItem(callers * each) {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<callers {
        group.addTask {
          for _ in 0..<each { try await request(caller) }
        }
      }
      try await group.waitForAll()
    }
  }
  return Figure(value: figure.cpu ?? .nan, cpu: figure.cpu, allocations: figure.allocations)
}
