import Millrace
import Synchronization

/// The number of observers.
private let observers = 1_000

/// The number of actions.
private func changes(_ size: Size) -> Int { size.scaled(20_000) / 20 }

/// A thousand observers of one property that each action changes: told the newest value, and told every change.
let manyObserverRows: [Row] = [
  Row(name: "reference/1000-streams-latest") { size in
    try await streamed(changes(size), .bufferingNewest(1), least: 1)
  },
  Row(name: "observe/1000-latest", reference: "reference/1000-streams-latest", gate: .severalThreads) { size in
    let count = changes(size)
    let store = Store(initial: Tally(), interactor: Deciding())
    return try await changed(count, least: 1) { _, started in
      await delivered(store.values(of: \.rare), until: count, started) { $0 }
    } change: {
      store.send(.setRare($0))
    }
  },
  Row(name: "reference/1000-streams-every") { size in
    let count = changes(size)
    return try await streamed(count, .unbounded, least: count + 1)
  },
  Row(name: "observe/1000-every", reference: "reference/1000-streams-every", gate: .severalThreads) { size in
    let count = changes(size)
    let store = Store(initial: Tally(), interactor: Deciding())
    return try await changed(count, least: count + 1) { _, started in
      await delivered(store.values(of: \.rare, policy: .every(buffer: count)), until: count, started) { $0 }
    } change: {
      store.send(.setRare($0))
    }
  },
]

/// Nanoseconds a change by hand: a stream for each observer, and a loop that tells all of them.
private func streamed(
  _ count: Int, _ policy: AsyncStream<Int>.Continuation.BufferingPolicy, least: Int
) async throws -> Figure {
  let tally = Mutex(Tally())
  let streams = (0..<observers).map { _ in AsyncStream.makeStream(of: Int.self, bufferingPolicy: policy) }
  for (_, continuation) in streams { continuation.yield(0) }
  return try await changed(count, least: least) { observer, started in
    await delivered(streams[observer].stream, until: count, started) { $0 }
  } change: { number in
    let value = tally.withLock { tally in
      apply(.setRare(number), to: &tally)
      return tally.rare
    }
    for (_, continuation) in streams { continuation.yield(value) }
  }
}

/// Nanoseconds a change until each observer has the last value.
///
/// - Throws: ``Unreached`` if an observer got fewer values than `least`, the initial one included.
private func changed(
  _ count: Int, least: Int, observe: @escaping @Sendable (Int, Countdown) async -> Int, change: (Int) -> Void
) async throws -> Figure {
  let started = Countdown(observers)
  let tasks = (0..<observers).map { observer in Task { await observe(observer, started) } }
  await started.wait()
  return try await perItem(count) {
    for number in 1...count { change(number) }
    for task in tasks {
      guard await task.value >= least else { throw Unreached() }
    }
  }
}

/// Returns the number of elements up to the value `last`, or 0 if the sequence ends before; the first element is a start.
private func delivered<Values: AsyncSequence>(
  _ values: Values, until last: Int, _ started: Countdown, value: (Values.Element) -> Int
) async -> Int where Values.Failure == Never {
  var count = 0
  for await element in values {
    if count == 0 { started.arrive() }
    count += 1
    if value(element) == last { return count }
  }
  return 0
}
