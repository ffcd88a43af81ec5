import Millrace
import Synchronization

/// Sending actions that are decided at once.
let sendRows: [Row] = [
  Row(name: "reference/reduce") { size in
    let count = size.scaled(20_000_000)
    var tally = Tally()
    let figure = await perItem(count) {
      for number in 0..<count { apply(.add(number), to: &tally) }
    }
    precondition(tally.recent[(count - 1) & 15] == count - 1)
    return figure
  },
  Row(name: "reference/mutex-reduce") { size in
    let count = size.scaled(5_000_000)
    let tally = Mutex(Tally())
    let figure = await perItem(count) {
      for number in 0..<count { tally.withLock { apply(.add(number), to: &$0) } }
    }
    precondition(tally.withLock { $0.last } == count - 1)
    return figure
  },
  Row(name: "send/decided", reference: "reference/mutex-reduce", target: 2.0, gate: .exact) { size in
    let count = size.scaled(5_000_000)
    let store = Store(initial: Tally(), interactor: Deciding())
    let figure = await perItem(count) {
      for number in 0..<count { store.send(.add(number)) }
    }
    let last = await store.state.last
    precondition(last == count - 1)
    return figure
  },
  Row(name: "send/batch", reference: "reference/reduce", target: 3.0, gate: .exact) { size in
    let batch = (0..<1_000).map { Change.add($0) }
    let batches = size.scaled(20_000_000) / batch.count
    let store = Store(initial: Tally(), interactor: Deciding())
    let figure = await perItem(batches * batch.count) {
      for _ in 0..<batches { store.send(contentsOf: batch) }
    }
    let revision = await store.snapshot.revision
    precondition(revision == batches * batch.count)
    return figure
  },
  Row(name: "reference/mutex-reduce-8-producers") { size in
    let each = size.scaled(8_000_000) / 8
    let tally = Guarded(Tally())
    let figure = await perItem(each * 8) {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            for number in 0..<each { tally.value.withLock { apply(.add(number), to: &$0) } }
          }
        }
      }
    }
    return figure
  },
  Row(
    name: "send/decided-8-producers", reference: "reference/mutex-reduce-8-producers", target: 2.5,
    gate: .severalThreads
  ) { size in
    let each = size.scaled(8_000_000) / 8
    let store = Store(initial: Tally(), interactor: Deciding())
    let figure = await perItem(each * 8) {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            for number in 0..<each { store.send(.add(number)) }
          }
        }
      }
    }
    let revision = await store.snapshot.revision
    precondition(revision == each * 8)
    return figure
  },
]

/// A value under a Mutex that tasks share.
final class Guarded<Value: Sendable>: Sendable {
  let value: Mutex<Value>

  init(_ value: Value) {
    self.value = Mutex(value)
  }
}
