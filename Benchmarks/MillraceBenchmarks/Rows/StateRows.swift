import Millrace

/// A large state with an observer.
let stateRows: [Row] = [
  Row(name: "reference/array-copy") { size in
    let count = size.scaled(100_000) / 50
    var table = Table()
    let figure = await perItem(count) {
      for number in 0..<count {
        let kept = table
        copyOnWrite(&table, number)
        withExtendedLifetime(kept) {}
      }
    }
    return figure
  },
  Row(name: "state/large-burst", reference: "reference/array-copy", target: 0.05, gate: .severalThreads) { size in
    let count = size.scaled(1_000_000)
    let store = Store(initial: Table(), interactor: Tabulating())
    return await observed(store, count) {
      store.send($0)
    } isLast: {
      $0.changes == count
    }
  },
  Row(name: "state/large-paced", reference: "reference/array-copy", target: 0.15, gate: .severalThreads) { size in
    let count = size.scaled(20_000)
    let store = Store(initial: Table(), interactor: Tabulating())
    let states = store.states
    let post = Post(last: count)
    let observer = Task {
      for await state in states {
        let changes = state.changes
        guard post.deliver(changes) else { return }
      }
    }
    await post.delivery()
    let figure = await perItem(count) {
      for number in 0..<count {
        store.send(number)
        await post.delivery()
      }
    }
    await observer.value
    return figure
  },
  Row(name: "reference/handled-1k-orders") { size in await paying(size, orders: 1_000) },
  Row(name: "state/handled-200k-orders", reference: "reference/handled-1k-orders", target: 1.05, gate: .severalThreads)
  {
    size in
    await paying(size, orders: 200_000)
  },
]

/// Nanoseconds a handled action that reads a part of a state with this number of orders, and changes it.
///
/// The actions are for the same orders whatever the state holds, so that both have the same part of it in the processor's caches.
private func paying(_ size: Size, orders: Int) async -> Figure {
  let count = size.scaled(100_000)
  let store = Store(initial: OrderBook.State(orders), interactor: OrderBook())
  let figure = await perItem(count) {
    for number in 0..<count { _ = await store.send(number % 1_000).outcome }
  }
  let paid = await store.state.paid
  precondition(paid == count, "each order is paid")
  return figure
}

@inline(never)
private func copyOnWrite(_ table: inout Table, _ number: Int) {
  table.cells[number % Table.size] = number
  table.changes += 1
}
