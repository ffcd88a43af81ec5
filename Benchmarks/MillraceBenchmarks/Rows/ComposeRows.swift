import Millrace

/// Actions that are decided ten levels down, and commits while runs of children that may be removed are in flight.
let composeRows: [Row] = [
  Row(name: "compose/scoped-10-deep", reference: "send/decided", target: 3.0, gate: .exact) { size in
    let count = size.scaled(5_000_000)
    let store = Store(initial: groundedTree(), interactor: fiveLevels(over: fiveLevels(over: Deciding())))
    let figure = await perItem(count) {
      for number in 0..<count { store.send(tenDown(.add(number))) }
    }
    let state = await store.state
    precondition(tally(under: state).last == count - 1)
    return figure
  },
  Row(name: "compose/scoped-10-deep-key-path", reference: "send/decided", gate: .exact) { size in
    let count = size.scaled(500_000)
    let store = Store(initial: groundedTree(), interactor: fiveKeyPathLevels(over: fiveKeyPathLevels(over: Deciding())))
    let figure = await perItem(count) {
      for number in 0..<count { store.send(tenDown(.add(number))) }
    }
    let state = await store.state
    precondition(tally(under: state).last == count - 1)
    return figure
  },
  Row(name: "reference/each-emit-1-run") { size in
    await emitting(size, children: 1, runs: 1)
  },
  Row(name: "compose/each-in-flight", reference: "reference/each-emit-1-run", target: 1.2) { size in
    await emitting(size, children: 1, runs: manyRuns)
  },
  Row(name: "compose/each-in-flight-distinct", reference: "reference/each-emit-1-run", target: 1.2) { size in
    await emitting(size, children: manyRuns, runs: manyRuns)
  },
  Row(name: "reference/each-parent-1-run") { size in
    await committing(size, children: 1, runs: 1) { .own($0) }
  },
  Row(name: "compose/each-in-flight-parent", reference: "reference/each-parent-1-run", target: 1.2) { size in
    await committing(size, children: 1, runs: manyRuns) { .own($0) }
  },
  Row(
    name: "compose/each-in-flight-parent-distinct", reference: "reference/each-parent-1-run", gate: .allocations
  ) { size in
    await committing(size, children: manyRuns, runs: manyRuns, looks: manyRuns) { .own($0) }
  },
  Row(name: "reference/each-parent-1-run-removing-none") { size in
    await committing(size, children: 1, runs: 1) { .removingNone($0) }
  },
  Row(
    name: "compose/each-in-flight-removing-none", reference: "reference/each-parent-1-run-removing-none", target: 1.2
  ) { size in
    await committing(size, children: manyRuns, runs: manyRuns) { .removingNone($0) }
  },
  Row(name: "reference/each-parent-1-run-naming-1") { size in
    await committing(size, children: 1, runs: 1) { .naming(0, $0) }
  },
  Row(name: "compose/each-in-flight-naming-1", reference: "reference/each-parent-1-run-naming-1", target: 1.2) { size in
    await committing(size, children: manyRuns, runs: manyRuns) { .naming(0, $0) }
  },
  Row(name: "reference/each-decided-1-run") { size in
    await committing(size, children: 1, runs: 1) { .counter(0, .decide($0)) }
  },
  Row(name: "compose/each-in-flight-decided", reference: "reference/each-decided-1-run", target: 1.2) { size in
    await committing(size, children: manyRuns, runs: manyRuns) { .counter(0, .decide($0)) }
  },
]

/// The number of runs of children that are in flight.
private let manyRuns = 10_000

/// The cost of a mutation that the run of a child emits.
private func emitting(_ size: Size, children: Int, runs: Int) async -> Figure {
  let count = size.scaled(2_000_000)
  let others = await RunsOfCounters(children: children, runs: runs - 1)
  let (figures, continuation) = AsyncStream<Figure>.makeStream()
  let receipt = others.store.send(
    .counter(
      0,
      .handle { run in
        continuation.yield(
          await perItem(count) {
            for number in 0..<count { run.emit(.add(number)) }
          })
      }))
  _ = await receipt.outcome
  let state = await others.store.state
  precondition(state.counters[0]?.last == count - 1)
  await others.end()
  return await figures.first { _ in true }!
}

/// The cost of a decided action of the parent, or of its first child; fewer of them for a commit that looks at many children.
private func committing(
  _ size: Size, children: Int, runs: Int, looks: Int = 1, _ action: @Sendable (Change) -> Counters.Action
) async -> Figure {
  let count = max(size.scaled(2_000_000) / looks, 100)
  let others = await RunsOfCounters(children: children, runs: runs)
  let figure = await perItem(count) {
    for number in 0..<count { others.store.send(action(.add(number))) }
  }
  let state = await others.store.state
  precondition(max(state.own.last, state.counters[0]?.last ?? 0) == count - 1)
  await others.end()
  return figure
}

/// A store with runs in flight, which belong to all children in turn.
private struct RunsOfCounters {
  let store: Store<Counters>
  private let waits: [Countdown]

  init(children: Int, runs: Int) async {
    let limits = StoreConfiguration.Limits(runsInFlight: runs + 1)
    store = Store(
      initial: Counters.State(children), interactor: Counters(), configuration: StoreConfiguration(limits: limits))
    waits = (0..<runs).map { _ in Countdown(1) }
    for (number, wait) in waits.enumerated() {
      store.send(.counter(number % children, .handle { _ in await wait.wait() }))
    }
    let inFlight = await store.metrics.inFlight
    precondition(inFlight == runs)
  }

  /// Ends all runs.
  func end() async {
    for wait in waits { wait.arrive() }
    await store.shutdown(drainFor: .seconds(60))
  }
}

/// A tree of ten levels.
private func groundedTree() -> TenLevels.State {
  let middle = FiveLevels<Deciding>.State(below: .init(below: .init(below: .init(below: .init(below: Tally())))))
  return .init(below: .init(below: .init(below: .init(below: .init(below: middle)))))
}

/// The child under ten levels.
private func tally(under state: TenLevels.State) -> Tally {
  let middle = state.below.below.below.below.below
  return middle.below.below.below.below.below
}

/// An action for what stands under ten levels.
@inline(__always)
private func tenDown(_ action: Change) -> TenLevels.Action {
  let middle = FiveLevels<Deciding>.Action.below(.below(.below(.below(.below(action)))))
  return .below(.below(.below(.below(.below(middle)))))
}
