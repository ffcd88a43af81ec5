import Millrace
import Synchronization

/// Steps of handlers: without a journal, in a store where many runs wait, and with a journal in a file.
let stepRows: [Row] =
  [
    Row(name: "reference/bare-call") { size in
      let calls = Calls()
      return try await perItem(size.scaled(1_000) * names.count) {
        for _ in 0..<size.scaled(1_000) {
          for name in names { _ = try await calls.call(name) }
        }
      }
    },
    Row(name: "step/plain", reference: "reference/bare-call", gate: .allocations) { size in
      let calls = Calls()
      let store = Store(
        initial: Waiting.State(),
        interactor: Waiting { run in
          for name in names { _ = try await run.step(name) { _ in try await calls.call(name) } }
        })
      return await perItem(size.scaled(1_000) * names.count) {
        for _ in 0..<size.scaled(1_000) { _ = await store.send(.handle).outcome }
      }
    },
    Row(name: "reference/decided-with-runs") { size in
      let gate = Latch()
      return await decided(size) { _ in
        await gate.pass()
      } end: {
        gate.open()
      }
    },
    Row(name: "step/waiting-10000", reference: "reference/decided-with-runs", target: 1.1, gate: .severalThreads) {
      size in
      await decided(size) { run in
        _ = try await run.wait("end") { $0.isOver ? true : nil }
      } end: {
      }
    },
  ] + durableStepRows

private let names = (0..<100).map { "step \($0)" }

/// Nanoseconds a decided action in a store with 10,000 runs that are suspended.
private func decided(
  _ size: Size, _ handling: @escaping Waiting.Handling, end: () -> Void
) async -> Figure {
  var configuration = StoreConfiguration()
  configuration.limits = .init(runsInFlight: 10_000)
  let store = Store(initial: Waiting.State(), interactor: Waiting(handling: handling), configuration: configuration)
  let receipts = (0..<10_000).map { _ in store.send(.handle) }
  let figure = await perItem(size.scaled(100_000)) {
    for _ in 0..<size.scaled(100_000) { store.send(.count) }
  }
  end()
  store.send(.end)
  for receipt in receipts { _ = await receipt.outcome }
  return figure
}

/// A function that a call of another module would be.
private final class Calls: Sendable {
  private let count = Atomic(0)

  @inline(never)
  func call(_ name: String) async throws -> Int { count.add(name.utf8.count, ordering: .relaxed).newValue }
}

/// Suspends tasks until it is opened.
private final class Latch: Sendable {
  private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

  func pass() async {
    await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
  }

  func open() {
    for continuation in waiting.withLock({ $0 }) { continuation.resume() }
  }
}

/// A count, and handlers.
private struct Waiting: Interactor {
  typealias Handling = @Sendable (Run<Waiting>) async throws -> Void

  struct State: Sendable {
    var count = 0
    var isOver = false
  }

  enum Action: Sendable {
    case count
    case handle
    case end
  }

  enum Mutation: Sendable {
    case counted
    case ended
  }

  let handling: Handling

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .count: .mutate(.counted)
    case .handle: .handle
    case .end: .mutate(.ended)
    }
  }

  func handle(_ action: Action, state: State) -> Effect<Self> { Effect(handling) }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .counted: state.count += 1
    case .ended: state.isOver = true
    }
  }
}
