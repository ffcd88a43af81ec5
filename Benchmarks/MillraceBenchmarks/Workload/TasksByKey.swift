import Synchronization

/// Hand-written code for actions of one key: the newest task of each key in a dictionary under a Mutex.
final class TasksByKey: Sendable {
  private struct Entry {
    let number: Int
    let task: Task<Void, Never>
  }

  private let entries = Mutex<[Int: Entry]>([:])

  /// Runs `work` when the newest task of the key is done.
  func serial(_ key: Int, _ number: Int, _ work: @escaping @Sendable () async -> Void) {
    let previous = entries.withLock { $0[key]?.task }
    keep(
      key, number,
      Task.immediate {
        await previous?.value
        await work()
        self.remove(key, number)
      })
  }

  /// Runs `work`, and cancels the newest task of the key.
  func latest(_ key: Int, _ number: Int, _ work: @escaping @Sendable () async -> Void) {
    entries.withLock { $0[key]?.task }?.cancel()
    keep(
      key, number,
      Task.immediate {
        await work()
        self.remove(key, number)
      })
  }

  private func keep(_ key: Int, _ number: Int, _ task: Task<Void, Never>) {
    entries.withLock { $0[key] = Entry(number: number, task: task) }
  }

  private func remove(_ key: Int, _ number: Int) {
    entries.withLock { entries in
      if entries[key]?.number == number { entries[key] = nil }
    }
  }
}
