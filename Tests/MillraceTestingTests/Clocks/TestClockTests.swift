import Testing

@testable import MillraceTesting

@Suite("TestClock", .timeLimit(.minutes(1)))
struct TestClockTests {
  let clock = TestClock()

  @Test("A task sleeps until the time reaches its deadline, and no less")
  func aTaskSleepsUntilItsDeadline() async throws {
    let task = Task {
      try await clock.sleep(for: .seconds(5))
      return clock.now.offset
    }
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(4))
    #expect(clock.sleepers == 1)
    clock.advance(by: .seconds(1))
    #expect(clock.sleepers == 0)
    #expect(try await task.value == .seconds(5))
  }

  @Test("A deadline that is reached already does not sleep")
  func aReachedDeadlineDoesNotSleep() async throws {
    clock.advance(by: .seconds(2))
    try await clock.sleep(until: .init(offset: .seconds(1)))
    try await clock.sleep(until: clock.now)
    try await clock.sleep(for: .seconds(-1))
    #expect(clock.now.offset == .seconds(2))
  }

  @Test("Tasks continue by deadline, and of equal deadlines in the order in which they fell asleep")
  func tasksGoOnInOrder() async throws {
    let executor = SerialTaskExecutor()
    let woken = Recorder<String>()
    for (index, sleeper) in [("c", 3), ("a", 1), ("b1", 2), ("b2", 2), ("d", 9)].enumerated() {
      Task(executorPreference: executor) {
        try await clock.sleep(until: .init(offset: .seconds(sleeper.1)))
        woken.record(sleeper.0)
      }
      try await clock.waitForSleepers(index + 1)
    }
    await Task(executorPreference: executor) {}.value  // The executor is free, so the last one is not only registered.
    clock.advance(to: .init(offset: .seconds(3)))
    #expect(clock.sleepers == 1)
    clock.run()
    #expect(clock.now.offset == .seconds(9))
    #expect(try await woken.next(5) == ["a", "b1", "b2", "c", "d"])
  }

  @Test("A sleeping task that is cancelled throws CancellationError and sleeps no longer")
  func aCancelledSleeperThrows() async throws {
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    try await clock.waitForSleepers()
    task.cancel()
    #expect(clock.sleepers == 0)
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("A task that is cancelled already throws, also when the deadline is reached")
  func aCancelledTaskThrowsAtOnce() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) { try await clock.sleep(for: .seconds(1)) }
      await #expect(throws: CancellationError.self) { try await clock.sleep(for: .zero) }
      await #expect(throws: CancellationError.self) { try await clock.waitForSleepers(0) }
    }
    await task.value
    #expect(clock.sleepers == 0)
  }

  @Test("Waiting for sleepers ends when the waiting task is cancelled, and the sleepers stay")
  func waitingForSleepersIsCancelled() async throws {
    let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
    try await clock.waitForSleepers(1)
    let waiting = Task { try await clock.waitForSleepers(2) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(clock.sleepers == 1)
    clock.run()
    try await sleeper.value
  }

  @Test("Run leaves no sleeper, and one that sleeps again is woken by the next run")
  func runIsRepeatedForTasksThatSleepAgain() async throws {
    let task = Task {
      for _ in 0..<3 { try await clock.sleep(for: .seconds(2)) }
    }
    for round in 1...3 {
      try await clock.waitForSleepers()
      clock.run()
      #expect(clock.now.offset == .seconds(2 * round))
    }
    try await task.value
    clock.run()
    #expect(clock.now.offset == .seconds(6))
  }

  @Test("The time does not go back")
  func theTimeDoesNotGoBack() {
    clock.advance(by: .seconds(3))
    clock.advance(by: .seconds(-1))
    clock.advance(to: .init(offset: .seconds(2)))
    #expect(clock.now.offset == .seconds(3))
  }

  @Test("It serves as any clock with a Duration")
  func itServesAsAnyClock() async throws {
    let any: any Clock<Duration> = clock
    let task = Task { try await any.sleep(for: .milliseconds(1)) }
    try await clock.waitForSleepers()
    clock.advance(by: any.minimumResolution)
    #expect(clock.sleepers == 1)
    clock.run()
    try await task.value
    #expect("\(clock.now)" == "0.001 seconds after the start")
  }

  @Test("Instants measure and compare by their offset")
  func instantsCompareByOffset() {
    let start = TestClock.Instant(offset: .zero)
    let later = start.advanced(by: .seconds(2))
    #expect(start < later)
    #expect(start.duration(to: later) == .seconds(2))
    #expect(later.duration(to: start) == .seconds(-2))
    #expect(later == TestClock.Instant(offset: .seconds(2)))
  }

  @Test("Sleepers that are woken and cancelled at the same time from many threads each end once")
  func wokenAndCancelledAtOnce() async throws {
    let count = 500
    let tasks = (0..<count).map { index in
      Task { try await clock.sleep(until: .init(offset: .milliseconds(index + 1))) }
    }
    try await clock.waitForSleepers(count)
    await withTaskGroup { group in
      group.addTask { for _ in 0..<count { clock.advance(by: .milliseconds(1)) } }
      group.addTask { for task in tasks.reversed() { task.cancel() } }
    }
    var ends = (woken: 0, cancelled: 0)
    for task in tasks {
      switch await task.result {
      case .success: ends.woken += 1
      case .failure(let error):
        #expect(error is CancellationError)
        ends.cancelled += 1
      }
    }
    #expect(ends.woken + ends.cancelled == count)
    #expect(clock.sleepers == 0)
  }

  @Test("A task that still sleeps fails the check, at the caller's line and with its deadline")
  func sleepersFailTheCheck() async throws {
    let failures = Failures()
    let clock = failures.collect { TestClock() }
    clock.checkSuspended()
    let late = Task { try await clock.sleep(until: .init(offset: .seconds(9))) }
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(0.5))
    clock.checkSuspended()
    let line = UInt(#line - 1)
    let early = Task { try await clock.sleep(until: .init(offset: .seconds(2))) }
    try await clock.waitForSleepers(2)
    #expect(clock.deadlines.map(\.offset) == [.seconds(2), .seconds(9)])
    clock.checkSuspended(file: "Tests/Some.swift", line: 7)
    clock.run()
    clock.checkSuspended()
    try await late.value
    try await early.value
    let fix = "Advance the clock to there (run() goes to the latest), or cancel what sleeps, before the test ends."
    #expect(
      failures.messages == [
        "A task still sleeps on this test clock, until 9.0 seconds after its start; its time is 0.5 seconds. \(fix)",
        """
        2 tasks still sleep on this test clock, until 2.0 seconds, 9.0 seconds after its start; its time is 0.5 seconds. \
        \(fix)
        """,
      ])
    #expect(failures.lines == [line, 7])
    #expect(failures.files == [#filePath, "Tests/Some.swift"])
  }

  @Test("Sleeps that are ended throw, the earlier deadline first, and the time stays; later ones sleep again")
  func sleepsAreEnded() async throws {
    let tasks = [9, 2].map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
    try await clock.waitForSleepers(2)
    clock.cancelSleepers()
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(clock.now.offset == .zero && clock.sleepers == 0)
    let later = Task { try await clock.sleep(for: .seconds(1)) }
    try await clock.waitForSleepers()
    clock.run()
    try await later.value
  }

  @Test("Its wall time begins with the year 2026, and moves with it, as far as there are numbers")
  func wallTime() {
    #expect(clock.wallTime() == 1_767_225_600_000)
    clock.advance(by: .milliseconds(1_500))
    #expect(clock.wallTime() == 1_767_225_601_500)
    clock.advance(by: .seconds(Int64.max))
    #expect(clock.wallTime() > 1 << 61)
  }
}
