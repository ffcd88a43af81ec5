import Millrace
import Synchronization

/// Observing states and parts of them.
let observeRows: [Row] = [
  Row(name: "reference/async-stream-loop") { size in
    let count = size.scaled(200_000)
    let loop = BareLoop()
    let (stream, continuation) = AsyncStream.makeStream(of: Change.self)
    let consumer = Task { await loop.consume(stream) }
    return await perItem(count) {
      for number in 0..<count { continuation.yield(.add(number)) }
      continuation.finish()
      await consumer.value
    }
  },
  Row(name: "observe/latest", reference: "reference/async-stream-loop", target: 0.15, gate: .severalThreads) { size in
    let count = size.scaled(1_000_000)
    let store = Store(initial: Tally(), interactor: Deciding())
    return await observed(store, count) {
      store.send(.add($0))
    } isLast: {
      $0.last == count
    }
  },
  Row(name: "observe/every", reference: "reference/async-stream-loop", target: 0.2, gate: .severalThreads) { size in
    let count = size.scaled(200_000)
    let store = Store(initial: Tally(), interactor: Deciding())
    var states = store.snapshots(.every(buffer: count)).makeAsyncIterator()
    return await perItem(count) {
      async let sent: Void = sendAll(count, to: store)
      while let snapshot = await states.next(), snapshot.revision < count {}
      await sent
    }
  },
  Row(name: "observe/1000-key-paths", reference: "send/decided", target: 6, gate: .severalThreads) { size in
    let count = size.scaled(1_000_000)
    let store = Store(initial: Tally(), interactor: Deciding())
    let started = Countdown(1_000)
    let observers = (0..<1_000).map { _ in
      let values = store.values(of: \.rare)
      return Task {
        var hasStarted = false
        for await value in values {
          if !hasStarted {
            hasStarted = true
            started.arrive()
          }
          if value == count { return true }
        }
        return false
      }
    }
    await started.wait()
    let figure = await perItem(count) {
      for number in 1...count { store.send(number.isMultiple(of: 100) ? .setRare(number) : .add(number)) }
    }
    for observer in observers {
      guard await observer.value else { throw Unreached() }
    }
    return figure
  },
  Row(name: "reference/3000-async-streams") { size in
    let count = size.scaled(3_000)
    return await perItem(count) {
      for number in 1...count {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        continuation.yield(number)
        var iterator = stream.makeAsyncIterator()
        _ = await iterator.next()
      }
    }
  },
  Row(name: "observe/3000-subscribe", reference: "reference/3000-async-streams") { size in
    let count = size.scaled(3_000)
    let store = Store(initial: Tally(), interactor: Deciding())
    var observers: [StoreSequence<Int, Never>.Iterator] = []
    observers.reserveCapacity(count)
    return await perItem(count) {
      for _ in 1...count {
        var iterator = store.values(of: \.rare).makeAsyncIterator()
        _ = await iterator.next()
        observers.append(iterator)
      }
    }
  },
  latencyRow("reference/async-stream-latency-p50", 0.5, measure: streamLatencies),
  latencyRow("reference/async-stream-latency-p99", 0.99, measure: streamLatencies),
  latencyRow(
    "observe/latency-p50", 0.5, reference: "reference/async-stream-latency-p50", target: 0.3,
    measure: storeLatencies),
  latencyRow(
    "observe/latency-p99", 0.99, reference: "reference/async-stream-latency-p99", target: 0.8,
    measure: storeLatencies),
]

/// Nanoseconds an action, until the one observer of the states has got the last of them.
func observed<I: Interactor>(
  _ store: Store<I>, _ count: Int, send: (Int) -> Void, isLast: @escaping @Sendable (I.State) -> Bool
) async -> Figure {
  let states = store.states
  let started = Countdown(1)
  let observer = Task {
    var hasStarted = false
    for await state in states {
      if !hasStarted {
        hasStarted = true
        started.arrive()
      }
      if isLast(state) { return }
    }
  }
  await started.wait()
  return await perItem(count) {
    for number in 1...count { send(number) }
    await observer.value
  }
}

@concurrent
private func sendAll(_ count: Int, to store: Store<Deciding>) async {
  for number in 1...count { store.send(.add(number)) }
}

/// An observer ended without the final value.
struct Unreached: Error {}

/// One consumer of a stream, in an actor that holds the state.
private actor BareLoop {
  private var tally = Tally()

  func consume(_ stream: AsyncStream<Change>) async {
    for await change in stream { apply(change, to: &tally) }
  }
}

private func latencyRow(
  _ name: String, _ part: Double, reference: String? = nil, target: Double? = nil,
  measure: @escaping @Sendable (Int) async -> [Double]
) -> Row {
  Row(name: name, reference: reference, target: target, gate: .latency) { size in
    Figure(value: percentile(part, of: await measure(size.scaled(20_000))))
  }
}

/// From send to the observer of `states`, one at a time.
@Sendable
private func storeLatencies(_ count: Int) async -> [Double] {
  let store = Store(initial: Tally(), interactor: Deciding())
  let states = store.states
  return await latencies(count) { post in
    for await state in states {
      guard post.deliver(state.last) else { return }
    }
  } send: {
    store.send(.add($0))
  }
}

/// From reduce and yield to the consumer of a stream of states, one at a time.
@Sendable
private func streamLatencies(_ count: Int) async -> [Double] {
  let tally = Guarded(Tally())
  let (stream, continuation) = AsyncStream.makeStream(of: Tally.self)
  continuation.yield(Tally())
  return await latencies(count) { post in
    for await state in stream {
      guard post.deliver(state.last) else { return }
    }
  } send: { number in
    continuation.yield(
      tally.value.withLock { tally in
        apply(.add(number), to: &tally)
        return tally
      })
  }
}

private func latencies(
  _ count: Int, observe: @escaping @Sendable (Post) async -> Void, send: (Int) -> Void
) async -> [Double] {
  let post = Post(last: count)
  let observer = Task { await observe(post) }
  await post.delivery()
  var figures: [Double] = []
  figures.reserveCapacity(count)
  for number in 1...count {
    let start = ContinuousClock.now
    send(number)
    figures.append(nanoseconds(await post.delivery() - start))
  }
  await observer.value
  return figures
}

/// Reports to the sender that a state was observed, and when.
final class Post: Sendable {
  private enum Box {
    case empty
    case delivered(ContinuousClock.Instant)
    case awaited(UnsafeContinuation<ContinuousClock.Instant, Never>)
  }

  private let box = Mutex(Box.empty)
  private let last: Int

  init(last: Int) {
    self.last = last
  }

  /// Called by the observer; false after the last state.
  func deliver(_ number: Int) -> Bool {
    let now = ContinuousClock.now
    let waiting: UnsafeContinuation<ContinuousClock.Instant, Never>? = box.withLock { box in
      if case .awaited(let continuation) = box {
        box = .empty
        return continuation
      }
      box = .delivered(now)
      return nil
    }
    waiting?.resume(returning: now)
    return number != last
  }

  /// Called by the sender: when the next state was observed.
  @discardableResult
  func delivery() async -> ContinuousClock.Instant {
    await withUnsafeContinuation { continuation in
      let instant: ContinuousClock.Instant? = box.withLock { box in
        if case .delivered(let instant) = box {
          box = .empty
          return instant
        }
        box = .awaited(continuation)
        return nil
      }
      if let instant { continuation.resume(returning: instant) }
    }
  }
}
