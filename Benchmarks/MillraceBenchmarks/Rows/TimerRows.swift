import Millrace
import Synchronization

/// Setting timers that the state has, beside a heap by hand with one task that sleeps until its earliest time.
let timerRows: [Row] = [
  Row(name: "reference/heap-by-hand") { size in
    let heap = HandHeap()
    for id in 0..<count { heap.set(id, at: time(of: id)) }
    let task = Task { while await heap.sleep() {} }
    defer { task.cancel() }
    return await perItem(size.scaled(200_000)) {
      for step in 0..<size.scaled(200_000) { heap.set(id(at: step), at: time(of: step)) }
    }
  },
  Row(name: "timers/set-100000", reference: "reference/heap-by-hand", target: 1.3, gate: .allocations) { size in
    let store = Store(
      initial: Reminders.State(), interactor: Reminders(), feedbacks: [.timers(of: \.pending) { .remove($0) }])
    for id in 0..<count { store.send(.set(id, at: time(of: id))) }
    let figure = await perItem(size.scaled(200_000)) {
      for step in 0..<size.scaled(200_000) { store.send(.set(id(at: step), at: time(of: step))) }
    }
    await store.shutdown()
    return figure
  },
]

private let count = 100_000

/// An id in no order.
private func id(at step: Int) -> Int { step &* 7_919 % count }

/// A wall time in the year 2100.
private func time(of number: Int) -> Int64 { 4_102_444_800_000 + Int64(number &* 104_729 % 1_000_000) }

/// Timers in a state.
private struct Reminders: Interactor {
  struct State: Sendable {
    var pending = Timers<Int>()
  }

  enum Mutation: Sendable {
    case set(Int, at: Int64)
    case remove(Int)
  }

  func decide(_ action: Mutation, state: State) -> Decision<Mutation> { .mutate(action) }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .set(let id, let time): state.pending.set(id, at: time)
    case .remove(let id): state.pending.remove(id)
    }
  }
}

/// A heap with an index, behind a lock, and a task that sleeps until the earliest time of it.
private final class HandHeap: Sendable {
  private struct State {
    var heap: [(time: Int64, id: Int)] = []
    var indices: [Int: Int] = [:]
    var sleep: Task<Void, Never>?

    mutating func set(_ id: Int, at time: Int64) {
      var index: Int
      if let known = indices[id] {
        index = known
      } else {
        index = heap.count
        heap.append((time, id))
      }
      heap[index] = (time, id)
      indices[id] = index
      while index > 0, heap[index].time < heap[(index - 1) / 2].time {
        swap(index, (index - 1) / 2)
        index = (index - 1) / 2
      }
      while true {
        var least = index
        for below in [2 * index + 1, 2 * index + 2] where below < heap.count && heap[below].time < heap[least].time {
          least = below
        }
        if least == index { return }
        swap(index, least)
        index = least
      }
    }

    private mutating func swap(_ index: Int, _ other: Int) {
      heap.swapAt(index, other)
      indices[heap[index].id] = index
      indices[heap[other].id] = other
    }
  }

  private let state = Mutex(State())

  func set(_ id: Int, at time: Int64) {
    let sleep = state.withLock { state in
      let earliest = state.heap.first?.time
      state.set(id, at: time)
      return state.heap.first?.time == earliest ? nil : state.sleep
    }
    sleep?.cancel()
  }

  /// Sleeps until the earliest time, or until that changes; returns false once the task is cancelled.
  func sleep() async -> Bool {
    let sleep = state.withLock { state in
      // The times are in 2100.
      let sleep = Task { _ = try? await Task.sleep(for: .seconds(3_600)) }
      state.sleep = sleep
      return sleep
    }
    await withTaskCancellationHandler {
      await sleep.value
    } onCancel: {
      sleep.cancel()
    }
    return !Task.isCancelled
  }
}
