import MillraceTesting
import Testing

@Suite("Gate", .timeLimit(.minutes(1)))
struct GateTests {
  let gate = Gate()

  @Test("Tasks stand at the gate until it opens, and pass it from then on")
  func tasksStandUntilItOpens() async throws {
    let tasks = (0..<3).map { _ in Task { try await gate.enter() } }
    try await gate.waitForArrivals(3)
    #expect(gate.waiting == 3)
    #expect(gate.arrivals == 3)
    #expect(!gate.isOpen)
    gate.open()
    #expect(gate.waiting == 0)
    #expect(gate.isOpen)
    for task in tasks { try await task.value }
    try await gate.enter()
    #expect(gate.arrivals == 4)
  }

  @Test("Tasks continue in the order in which they came")
  func tasksGoOnInOrder() async throws {
    let executor = SerialTaskExecutor()
    let passed = Recorder<Int>()
    for number in 1...5 {
      Task(executorPreference: executor) {
        try await gate.enter()
        passed.record(number)
      }
      try await gate.waitForArrivals(number)
    }
    await Task(executorPreference: executor) {}.value  // The executor is free, so the last one has not only arrived.
    gate.open()
    #expect(try await passed.next(5) == [1, 2, 3, 4, 5])
  }

  @Test("A task that is cancelled at the gate throws CancellationError and stands there no longer")
  func aCancelledTaskThrows() async throws {
    let task = Task { try await gate.enter() }
    try await gate.waitForArrivals()
    task.cancel()
    #expect(gate.waiting == 0)
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("A task that is cancelled already throws at once, at an open gate too")
  func aCancelledTaskThrowsAtOnce() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) { try await gate.enter() }
      gate.open()
      await #expect(throws: CancellationError.self) { try await gate.enter() }
      await #expect(throws: CancellationError.self) { try await gate.waitForArrivals(0) }
    }
    await task.value
    #expect(gate.arrivals == 2)
  }

  @Test("A task that ignores its cancellation stands at the gate until it opens, cancelled before or there")
  func cancellationIsIgnoredWhereAskedFor() async throws {
    let cancelledThere = Task {
      await gate.enterIgnoringCancellation()
      return Task.isCancelled
    }
    try await gate.waitForArrivals()
    cancelledThere.cancel()
    let cancelledBefore = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await gate.enterIgnoringCancellation()
      return Task.isCancelled
    }
    try await gate.waitForArrivals(2)
    #expect(gate.waiting == 2)
    gate.open()
    #expect(await cancelledThere.value)
    #expect(await cancelledBefore.value)
    await gate.enterIgnoringCancellation()
    #expect(gate.arrivals == 3)
  }

  @Test("Waiting for arrivals ends when the waiting task is cancelled")
  func waitingForArrivalsIsCancelled() async throws {
    let waiting = Task { try await gate.waitForArrivals(1) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(gate.arrivals == 0)
  }

  @Test("Tasks that come, are cancelled, and are let through at the same time from many threads each end once")
  func comingCancelledAndLetThroughAtOnce() async throws {
    let count = 500
    let tasks = (0..<count).map { _ in Task { try await gate.enter() } }
    try await gate.waitForArrivals(count / 2)
    await withTaskGroup { group in
      group.addTask { for task in tasks.reversed() { task.cancel() } }
      group.addTask { gate.open() }
    }
    for task in tasks {
      if case .failure(let error) = await task.result { #expect(error is CancellationError) }
    }
    #expect(gate.arrivals == count)
    #expect(gate.waiting == 0)
  }
}
