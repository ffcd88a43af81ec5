import MillraceTesting
import Testing

@testable import Millrace

@Suite("Feedback", .timeLimit(.minutes(1)))
struct FeedbackTests {
  typealias Feedback = Millrace.Feedback<ClosureInteractor.State, ClosureInteractor.Action>

  private func store(
    _ state: ClosureInteractor.State = ClosureInteractor.State(),
    _ configuration: StoreConfiguration = StoreConfiguration(),
    interceptors: [any Interceptor<ClosureInteractor>] = [],
    feedbacks: [Feedback]
  ) -> Store<ClosureInteractor> {
    Store(
      initial: state, interactor: ClosureInteractor(), configuration: configuration, interceptors: interceptors,
      feedbacks: feedbacks)
  }

  // MARK: First actions

  @Test("First actions are taken up in the order of the feedbacks, before the store's initialiser returns")
  func start() {
    let store = store(feedbacks: [.start(.append(1), .append(2)), .run { _ in }, .start(.append(3))])
    #expect(store.snapshotAtOnce()?.state.items == [1, 2, 3])
  }

  @Test("First actions pass the interceptors")
  func startIsIntercepted() {
    let count = Box(0)
    let interceptor = Choosing<ClosureInteractor> { _, _ in
      count.update {
        $0 += 1; return $0 == 2
      } ? .reject("the second") : .pass
    }
    let store = store(interceptors: [interceptor], feedbacks: [.start(.append(1), .append(2), .append(3))])
    #expect(store.snapshotAtOnce()?.state.items == [1, 3])
  }

  @Test("First actions come from outside of any run, though a handler of another store made the store")
  func startHasNoParent() async {
    let parents = Notes<RunID?>()
    let interceptor = Choosing<ClosureInteractor> { _, context in
      parents.note(context.parent)
      return .pass
    }
    let receipt = Store<ClosureInteractor>().send(
      .handle { _ in
        _ = Store(
          initial: ClosureInteractor.State(), interactor: ClosureInteractor(), interceptors: [interceptor],
          feedbacks: [.start(.append(1))])
      })
    _ = await receipt.outcome
    #expect(parents.all == [nil])
  }

  // MARK: Sequences

  @Test("The elements of a sequence become actions in their order; those without an action are left out")
  func actions() async throws {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let store = store(feedbacks: [.actions(from: stream) { $0.isMultiple(of: 2) ? .append($0) : nil }])
    for number in 1...6 { continuation.yield(number) }
    #expect(try await store.wait { $0.items.last == 6 }.items == [2, 4, 6])
  }

  @Test("Another store's values become actions")
  func anotherStore() async throws {
    let other = Store<ClosureInteractor>(count: 1)
    let store = store(feedbacks: [.actions(from: other.values(of: \.count)) { .append($0) }])
    try await store.wait { $0.items == [1] }
    other.send(.count(5))
    try await store.wait { $0.items == [1, 5] }
  }

  @Test("No element is asked for while the store has no room for the one before, and none is lost")
  func backpressure() async throws {
    let (gate, ended, last) = (Gate(), Box(0), 50)
    let numbers = Asked(last) { number in
      // One runs, one waits, and one is submitted.
      #expect(ended.value >= number - 3)
      if number == 3 { gate.open() }
    }
    let limits = StoreConfiguration.Limits(runsInFlight: 1, actionsWaiting: 1)
    let store = store(
      ClosureInteractor.State(), StoreConfiguration(limits: limits),
      feedbacks: [
        .actions(from: numbers) { number in
          .handle { run in
            await gate.enterIgnoringCancellation()
            run.emit { $0.items.append(number) }
            ended.update { $0 += 1 }
          }
        }
      ])
    #expect(try await store.wait { $0.items.count == last }.items == Array(1...last))
    #expect(await store.metrics.rejections.isEmpty)
  }

  @Test("A sequence that fails leads to the action for its failure")
  func failure() async throws {
    let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
    let store = store(feedbacks: [
      .actions(from: stream) {
        .append($0)
      } failure: {
        .text("\($0)")
      }
    ])
    continuation.yield(1)
    continuation.finish(throwing: Mishap())
    let state = try await store.wait { $0.text != nil }
    #expect(state.items == [1])
    #expect(state.text == "a mishap")
  }

  @Test("The cancellation of a sequence with the store is no failure")
  func cancellationIsNoFailure() async throws {
    let (gate, failures, over) = (Gate(), Notes<String>(), Recorder<Void>())
    func feedback() -> Feedback {
      let token = ReleaseRecorder(over)
      return .actions(from: Blocked(gate: gate)) { _ in
        withExtendedLifetime(token) { nil }
      } failure: {
        failures.note("\($0)")
        return .text("failed")
      }
    }
    let store = store(feedbacks: [feedback()])
    try await gate.waitForArrivals()
    await store.shutdown()
    try await over.next()
    #expect(failures.all.isEmpty)
  }

  // MARK: Timers

  @Test("A timer sends at equal distances on the store's clock, leaves out what was missed, and ends with the store")
  func every() async throws {
    let clock = TestClock()
    let store = store(
      ClosureInteractor.State(), StoreConfiguration(clock: clock), feedbacks: [.every(.seconds(10)) { .increment }])
    try await clock.waitForSleepers()
    #expect(await store.state.count == 0)
    clock.advance(by: .seconds(9))
    #expect(clock.sleepers == 1)
    clock.advance(by: .seconds(1))
    try await store.wait { $0.count == 1 }
    try await clock.waitForSleepers()
    // 20, 30 and 40 are over; one of them counts, and the next is 50.
    clock.advance(by: .seconds(35))
    try await store.wait { $0.count == 2 }
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(4))
    #expect(clock.sleepers == 1)
    clock.advance(by: .seconds(1))
    try await store.wait { $0.count == 3 }
    try await clock.waitForSleepers()
    await store.shutdown()
    #expect(clock.sleepers == 0)
    #expect(await store.state.count == 3)
  }

  @Test("A timer whose time comes late by whole intervals continues from there, at a whole number of intervals")
  func everyAtTheEdge() async throws {
    let clock = TestClock()
    let store = store(
      ClosureInteractor.State(), StoreConfiguration(clock: clock),
      feedbacks: [.every(.milliseconds(100)) { .increment }])
    try await clock.waitForSleepers()
    clock.advance(by: .milliseconds(400))  // 100, and with it 200, 300 and 400.
    try await store.wait { $0.count == 1 }
    try await clock.waitForSleepers()
    clock.advance(by: .milliseconds(99))
    #expect(clock.sleepers == 1)
    clock.advance(by: .milliseconds(1))
    try await store.wait { $0.count == 2 }
  }

  // MARK: Anything

  @Test("A feedback reads the store's live state, and sends")
  func run() async throws {
    let store = store(
      ClosureInteractor.State(count: 3),
      feedbacks: [
        .run { access in
          access.send(.append(await access.state.count))
          access.send(.append(await access.state.items.count))
        }
      ])
    #expect(try await store.wait { $0.items.count == 2 }.items == [3, 1])
  }

  // MARK: The end

  @Test("S1: the feedbacks and thunks of a store are cancelled at the beginning of its drain")
  func cancelledAtTheDrain() async throws {
    let (clock, cancelled, gate) = (TestClock(), Recorder<String>(), Gate())
    let store = store(
      ClosureInteractor.State(), StoreConfiguration(clock: clock), feedbacks: [.staying(until: cancelled)])
    let running = store.send(.handle { _ in await gate.enterIgnoringCancellation() })
    try await gate.waitForArrivals()
    let closing = Task { await store.shutdown(drainFor: .seconds(60)) }
    #expect(try await cancelled.next() == "cancelled")
    #expect(await store.metrics.inFlight == 1)
    gate.open()
    #expect(await running.outcome.isFinished)
    #expect(await closing.value.isClean)
  }

  @Test("R6: the feedbacks and thunks of a store do not hold it, and are cancelled when it is released")
  func cancelledAtTheRelease() async throws {
    let cancelled = Recorder<String>()
    let (begun, clock) = (Recorder<String>(), TestClock())
    var store: Store<ClosureInteractor>? = store(
      ClosureInteractor.State(text: "a"), StoreConfiguration(clock: clock),
      feedbacks: [
        .start(.append(1)), .staying(until: cancelled),
        .every(.seconds(1)) { .increment },
        .actions(from: AsyncStream<Int> { _ in }) { .append($0) },
        .react(to: \.text) { query, _ in
          begun.record(query)
          try? await Gate().enter()
          cancelled.record(query)
        },
      ])
    weak let released = store
    try await clock.waitForSleepers()
    #expect(try await begun.next() == "a")
    store = nil
    #expect(released == nil)
    #expect(try await Set(cancelled.next(2)) == ["cancelled", "a"])
    #expect(clock.sleepers == 0)
  }

  @Test("R5: a feedback that has returned is kept no longer")
  func pruned() async throws {
    let (over, count) = (Recorder<Void>(), 20)
    func feedback() -> Feedback {
      let token = ReleaseRecorder(over)
      return .run { _ in withExtendedLifetime(token) {} }
    }
    let store = Store(
      initial: ClosureInteractor.State(), interactor: ClosureInteractor(),
      feedbacks: (0..<count).map { _ in feedback() })
    _ = try await over.next(count)
    #expect(await store.taskCount == 0)
  }
}

extension Feedback where State == ClosureInteractor.State, Action == ClosureInteractor.Action {
  /// Stays until it is cancelled, which it records.
  static func staying(until cancelled: Recorder<String>) -> Feedback {
    .run { _ in
      try? await Gate().enter()
      cancelled.record("cancelled")
    }
  }
}

extension ClosureInteractor.Action {
  /// Appends an item.
  static func append(_ item: Int) -> Self { .write { $0.items.append(item) } }
}

/// The numbers from 1, with a look at each when it is asked for.
private struct Asked: AsyncSequence, Sendable {
  typealias Failure = Never

  let last: Int
  let look: @Sendable (Int) -> Void

  init(_ last: Int, look: @escaping @Sendable (Int) -> Void) {
    (self.last, self.look) = (last, look)
  }

  struct Iterator: AsyncIteratorProtocol {
    let numbers: Asked
    var number = 0

    mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      guard number < numbers.last else { return nil }
      number += 1
      numbers.look(number)
      return number
    }

    mutating func next() async -> Int? { await next(isolation: #isolation) }
  }

  func makeAsyncIterator() -> Iterator { Iterator(numbers: self) }
}

/// Delivers no element before the gate opens, and throws when it is cancelled.
private struct Blocked: AsyncSequence, AsyncIteratorProtocol, Sendable {
  let gate: Gate

  func next(isolation actor: isolated (any Actor)?) async throws -> Int? {
    try await gate.enter()
    return nil
  }

  func next() async throws -> Int? { try await next(isolation: #isolation) }

  func makeAsyncIterator() -> Blocked { self }
}
