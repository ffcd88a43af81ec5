import Millrace

/// Actions that are decided ten levels down.
let composeRows: [Row] = [
  Row(name: "compose/scoped-10-deep", reference: "send/decided", target: 3.0, gate: .exact) { size in
    let count = size.scaled(5_000_000)
    let store = Store(initial: groundedTree(), interactor: Floor10())
    let figure = await perItem(count) {
      for number in 0..<count { store.send(tenDown(.add(number))) }
    }
    let state = await store.state
    precondition(tally(under: state).last == count - 1)
    return figure
  },
  Row(name: "compose/scoped-10-deep-key-path", reference: "send/decided", gate: .exact) { size in
    let count = size.scaled(500_000)
    let store = Store(initial: groundedTree(), interactor: KeyPathFloor10())
    let figure = await perItem(count) {
      for number in 0..<count { store.send(tenDown(.add(number))) }
    }
    let state = await store.state
    precondition(tally(under: state).last == count - 1)
    return figure
  },
]

/// A tree of ten levels.
private func groundedTree() -> Floor10.State {
  let middle = Floor5.State(below: .init(below: .init(below: .init(below: .init(below: Tally())))))
  return .init(below: .init(below: .init(below: .init(below: .init(below: middle)))))
}

/// What stands under ten levels.
private func tally(under state: Floor10.State) -> Tally {
  let middle = state.below.below.below.below.below
  return middle.below.below.below.below.below
}

/// An action for what stands under ten levels.
@inline(__always)
private func tenDown(_ action: Change) -> Floor10.Action {
  let middle = Floor5.Action.below(.below(.below(.below(.below(action)))))
  return .below(.below(.below(.below(.below(middle)))))
}
