import Millrace
import Synchronization

/// The number of keys of the actions of a wave.
private let keys = 100

/// Handling actions that meet others.
let runRows: [Row] = [
  Row(name: "run/concurrent", reference: "reference/task-immediate-yield", target: 1.6) { size in
    await planned(.concurrent, size)
  },
  Row(name: "reference/task-serial-by-key") { size in
    await byHand(size) { tasks, key, number, work in tasks.serial(key, number, work) }
  },
  Row(name: "run/serial", reference: "reference/task-serial-by-key", target: 4.0) { size in
    await planned(.serial, size)
  },
  Row(name: "reference/task-latest-by-key") { size in
    await byHand(size) { tasks, key, number, work in tasks.latest(key, number, work) }
  },
  Row(name: "run/latest", reference: "reference/task-latest-by-key", target: 5.0) { size in
    await planned(.latest, size)
  },
  Row(name: "reference/100-awaits-of-a-task") { size in
    let rounds = size.scaled(100_000) / 100
    return await perItem(rounds * 100) {
      for _ in 0..<rounds {
        let gateway = Countdown(1)
        let task = Task.immediate { await gateway.wait() }
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<100 { group.addImmediateTask { await task.value } }
          gateway.arrive()
        }
      }
    }
  },
  Row(name: "run/shared", reference: "reference/100-awaits-of-a-task", target: 4.5) { size in
    let rounds = size.scaled(100_000) / 100
    let store = Store(initial: Tally(), interactor: Sharing())
    let figure = await perItem(rounds * 100) {
      for _ in 0..<rounds {
        let gateway = Countdown(1)
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<100 {
            let receipt = store.send(gateway)
            group.addImmediateTask { _ = await receipt.outcome }
          }
          gateway.arrive()
        }
      }
    }
    let calls = await store.state.total
    precondition(calls == rounds)
    return figure
  },
  Row(name: "reference/task-cancel") { size in
    let count = size.scaled(30_000)
    return await perItem(count) {
      for _ in 0..<count {
        let task = Task.immediate { try await Task.sleep(for: .seconds(86_400)) }
        task.cancel()
        _ = await task.result
      }
    }
  },
  Row(name: "run/cancel", reference: "reference/task-cancel", target: 2.5, gate: .allocations) { size in
    let count = size.scaled(30_000)
    let store = Store(initial: Tally(), interactor: Stalling())
    return await perItem(count) {
      for _ in 0..<count {
        let receipt = store.send(())
        receipt.cancel()
        _ = await receipt.outcome
      }
    }
  },
  Row(name: "reference/continuation-round-trip") { size in
    let count = size.scaled(100_000)
    return await perItem(count) {
      for _ in 0..<count {
        await withUnsafeContinuation { continuation in
          _ = Task.immediateDetached {
            await Task.yield()
            continuation.resume()
          }
        }
      }
    }
  },
  Row(name: "run/receipt-await", reference: "reference/continuation-round-trip", target: 3.0) { size in
    let count = size.scaled(100_000)
    let store = Store(initial: Tally(), interactor: Yielding())
    return await perItem(count) {
      for _ in 0..<count { _ = await store.send(()).outcome }
    }
  },
  Row(name: "admission/overload", reference: "reference/mutex-reduce", target: 5.0) { size in
    let count = size.scaled(2_000_000)
    let limits = StoreConfiguration.Limits(runsInFlight: 1, actionsWaiting: 0)
    let store = Store(
      initial: Tally(), interactor: Stalling(), configuration: StoreConfiguration(limits: limits))
    store.send(())
    let figure = await perItem(count) {
      for _ in 0..<count { store.send(()) }
    }
    let rejected = await store.metrics.rejections[.full]
    precondition(rejected == count)
    await store.shutdown()
    return figure
  },
]

private func planned(_ overlap: PlannedAction.Overlap, _ size: Size) async -> Figure {
  var configuration = StoreConfiguration()
  configuration.report = { _ in }  // Of a superseded run's late emit, which is no news here.
  let store = Store(initial: Tally(), interactor: Planned(), configuration: configuration)
  let number = Atomic(0)
  let figure = await waves(size.scaled(100_000)) { countdown in
    let key = number.add(1, ordering: .relaxed).newValue % keys
    store.send(PlannedAction(overlap: overlap, key: key, countdown: countdown))
  }
  return figure
}

private func byHand(
  _ size: Size, _ begin: @escaping (TasksByKey, Int, Int, @escaping @Sendable () async -> Void) -> Void
) async -> Figure {
  let (tasks, tally) = (TasksByKey(), Guarded(Tally()))
  let number = Atomic(0)
  return await waves(size.scaled(100_000)) { countdown in
    let number = number.add(1, ordering: .relaxed).newValue
    begin(tasks, number % keys, number) {
      defer { countdown.arrive() }
      tally.value.withLock { apply(.loading, to: &$0) }
      await Task.yield()
      tally.value.withLock { apply(.loaded(nil), to: &$0) }
    }
  }
}
