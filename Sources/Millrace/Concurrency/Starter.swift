import Synchronization

/// Something asynchronous that is begun once, by a starter.
@usableFromInline
package class Startable: @unchecked Sendable {
  /// The next start in a chain; only the holder of the chain uses it.
  fileprivate final var next: Startable?

  @usableFromInline
  package init() {}

  /// Creates the task; on this thread up to the first suspension, if `immediately` and unless it starts on the pool anyway.
  ///
  /// Called once, by the starter.
  func makeTask(immediately: Bool) -> Task<Void, any Error>? { nil }

  /// Told of the task once it is begun.
  func hasStarted(as task: Task<Void, any Error>) {}

  /// Begins it on the pool, without the starter.
  final func startOnPool() { start(immediately: false) }

  fileprivate final func start(immediately: Bool) {
    if let task = makeTask(immediately: immediately) { hasStarted(as: task) }
  }
}

/// Startables in order, linked through themselves.
struct StartChain {
  private var first: Startable?

  /// The chain holds it by the one before it, or as the first.
  private unowned(unsafe) var last: Startable?

  var isEmpty: Bool { first == nil }

  mutating func append(_ start: Startable) {
    if let last { last.next = start } else { first = start }
    last = start
  }

  mutating func append(_ chain: StartChain) {
    guard let head = chain.first else { return }
    if let last { last.next = head } else { first = head }
    last = chain.last
  }

  mutating func popFirst() -> Startable? {
    guard let start = first else { return nil }
    first = start.next
    start.next = nil
    if first == nil { last = nil }
    return start
  }
}

/// Begins what is due, flat: a start that is asked for from inside a start is queued behind it.
///
/// The first part of an operation runs on the thread that begins it, and may send, and so lead to the next start. That one
/// must not nest, or a chain of them would overflow the stack. So one thread at a time is the starter's; starts that the
/// same thread asks for meanwhile go into `chain`, which only that thread touches. Starts that another thread asks for
/// meanwhile, those past the patience of a thread that only wanted to send, and those of an urgent step, whose caller may not be
/// kept by them, are begun in the pool, each on a stack of its own. So is an operation that always starts there.
final class Starter: @unchecked Sendable {
  private let thread = Atomic<UInt>(0)
  @exclusivity(unchecked) private var chain = StartChain()

  func start(_ starts: StartChain, inPool: Bool = false) {
    let me = currentThread()
    if thread.load(ordering: .relaxed) == me {
      chain.append(starts)
      return
    }
    var starts = starts
    guard
      !inPool,
      thread.compareExchange(
        expected: 0, desired: me, successOrdering: .acquiring, failureOrdering: .relaxed
      ).exchanged
    else {
      while let start = starts.popFirst() { start.start(immediately: false) }
      return
    }
    var patience = SystemEnvironment.patience
    while let start = starts.popFirst() ?? chain.popFirst() {
      patience -= 1
      start.start(immediately: patience > 0)
    }
    thread.store(0, ordering: .releasing)
  }
}
