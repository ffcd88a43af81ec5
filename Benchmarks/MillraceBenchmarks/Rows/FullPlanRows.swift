import Millrace
import Synchronization

/// The number of tasks that each send the actions of a key of their own, one after the other.
private let callers = 64

/// Actions whose plan has everything: shared, with timeout, attempt timeout, retry and breaker.
let fullPlanRows: [Row] = [
  Row(name: "reference/full-plan-by-hand", unit: "cpu ns") { size in
    let (calls, tally) = (CallsByKey(FullTerms()), Guarded(Tally()))
    let figure = await perCall(size) { key in
      do {
        try await calls.call(key) {
          tally.value.withLock { apply(.loading, to: &$0) }
          await Task.yield()
          tally.value.withLock { apply(.loaded(nil), to: &$0) }
        }
        return true
      } catch {
        return false
      }
    }
    precondition(tally.value.withLock { $0.total } == callsOfAll(size))
    return figure
  },
  Row(
    name: "run/full-plan", unit: "cpu ns", reference: "reference/full-plan-by-hand", target: 4.5, gate: .allocations
  ) { size in
    let store = Store(initial: Tally(), interactor: FullyPlanned())
    let figure = await perCall(size) { await store.send($0).outcome.kind == .finished }
    let handled = await store.state.total
    precondition(handled == callsOfAll(size))
    return figure
  },
]

/// Processor time of a call, which answers whether it has finished; stops the process if one has not.
private func perCall(_ size: Size, _ call: @escaping @Sendable (_ key: Int) async -> Bool) async -> Figure {
  let each = callsOfAll(size) / callers
  let figure = await perItem(callers * each) {
    await withTaskGroup(of: Int.self) { group in
      for key in 0..<callers {
        group.addTask {
          var finished = 0
          for _ in 0..<each where await call(key) { finished += 1 }
          return finished
        }
      }
      for await finished in group { precondition(finished == each) }
    }
  }
  return Figure(
    value: figure.cpu ?? .nan, cpu: figure.cpu, allocations: figure.allocations, instructions: figure.instructions)
}

/// The number of calls of all callers together, the same number for each of them.
private func callsOfAll(_ size: Size) -> Int { max(size.scaled(64_000) / callers, 1) * callers }
