import Millrace

/// Actions of a store that has, or had, interceptors.
let interceptRows: [Row] = [
  Row(name: "intercept/empty", reference: "send/decided", target: 1.05, gate: .exact) { size in
    let store = Store(initial: Tally(), interactor: Deciding(), interceptors: [Passing()])
    store.setInterceptors([])
    return await intercepted(store, size.scaled(5_000_000))
  },
  Row(name: "intercept/three", reference: "send/decided", gate: .allocations) { size in
    let chain = [Passing(), Passing(), Passing()]
    let store = Store(initial: Tally(), interactor: Deciding(), interceptors: chain)
    return await intercepted(store, size.scaled(1_000_000))
  },
]

/// Nanoseconds an action.
private func intercepted(_ store: Store<Deciding>, _ count: Int) async -> Figure {
  let figure = await perItem(count) {
    for number in 0..<count { store.send(.add(number)) }
  }
  let last = await store.state.last
  precondition(last == count - 1)
  return figure
}

/// Passes every action, and ignores every notification.
private struct Passing: Interceptor {
  typealias I = Deciding
}
