/// The recorded elements and the tasks that wait for more, as a value without tasks and locks.
///
/// Each event returns the deliveries to be made once the lock around this value was released.
struct RecorderState<Element, Waiter> {
  /// The result of one wait.
  enum Delivery {
    case elements([Element], to: Waiter)
    case ended(RecorderError, to: Waiter)
    case cancelled(Waiter)
  }

  /// The sequences that are being recorded.
  private enum Sources {
    /// None was ever recorded: elements come by hand, at any time. Becomes `open`.
    case none
    /// The number of sources that have not ended. Becomes `ended` with the last of them.
    case open(Int)
    /// All have ended, the last one with this error; becomes `open` when another one is recorded.
    case ended((any Error)?)
  }

  private(set) var recorded: [Element] = []
  private var readCount = 0
  /// The number of elements that were not read.
  var unread: Int { recorded.count - readCount }
  private var sources = Sources.none
  /// The waiting tasks, first come first; the first lacks elements, so those behind it wait as well.
  private var queue: [(id: Int, count: Int, waiter: Waiter)] = []
  private var lastID = 0

  /// A number that no other waiter has.
  mutating func makeID() -> Int {
    lastID += 1
    return lastID
  }

  /// An element is recorded.
  mutating func record(_ element: Element) -> [Delivery] {
    recorded.append(element)
    return deliver()
  }

  /// A task wants the next `count` elements.
  mutating func next(_ count: Int, for waiter: Waiter, id: Int, isCancelled: Bool) -> [Delivery] {
    if isCancelled { return [.cancelled(waiter)] }
    queue.append((id, max(count, 0), waiter))
    return deliver()
  }

  /// A task was cancelled; nothing is left to do when it was served before, or asks later.
  mutating func cancel(_ id: Int) -> [Delivery] {
    guard let index = queue.firstIndex(where: { $0.id == id }) else { return [] }
    let waiter = queue.remove(at: index).waiter
    return [.cancelled(waiter)] + deliver()
  }

  /// A sequence begins to be recorded.
  mutating func sourceBegan() {
    switch sources {
    case .none, .ended: sources = .open(1)
    case .open(let count): sources = .open(count + 1)
    }
  }

  /// A sequence that began has ended.
  mutating func sourceEnded(_ error: (any Error)?) -> [Delivery] {
    switch sources {
    case .open(let count) where count > 1: sources = .open(count - 1)
    case .open: sources = .ended(error)
    case .none, .ended: preconditionFailure("Each end belongs to one beginning, and both come from the recording task.")
    }
    return deliver()
  }

  /// Serves those at the front of the queue who can be served.
  private mutating func deliver() -> [Delivery] {
    var deliveries: [Delivery] = []
    while let first = queue.first {
      let unread = unread
      if first.count <= unread {
        deliveries.append(.elements(Array(recorded[readCount..<readCount + first.count]), to: first.waiter))
        readCount += first.count
      } else if case .ended(let error) = sources {
        let error = RecorderError(wanted: first.count, unread: unread, underlyingError: error)
        deliveries.append(.ended(error, to: first.waiter))
      } else {
        break
      }
      queue.removeFirst()
    }
    return deliveries
  }
}

extension RecorderState.Delivery: Sendable where Element: Sendable, Waiter: Sendable {}
