import MillraceTesting
import Testing

@testable import MillraceOperators

@Suite("OperatorStorage", .timeLimit(.minutes(1)))
struct OperatorStorageTests {
  private typealias Merging = OperatorStorage<MergeState<Int, any Error>>

  private func merging(_ taps: Tap<Int>...) -> Merging {
    OperatorStorage(MergeState(bases: taps.count), of: taps.map { Upstream($0) })
  }

  @Test("A base is asked once for each element that is demanded, and not before")
  func demand() async throws {
    let tap = Tap(1, 2, 3)
    let storage = merging(tap)
    #expect(tap.asks.recorded.isEmpty)
    #expect(try await storage.next() == 1)
    #expect(try await storage.next() == 2)
    #expect(tap.asks.recorded.count == 2)
    storage.cancel()
  }

  @Test("A consumer that waits gets nil when its task is cancelled, and the tasks that read the bases end")
  func cancelledWhileItWaits() async throws {
    let taps = [Tap<Int>(), Tap<Int>()]
    let storage = merging(taps[0], taps[1])
    let consumer = Task { try await storage.next() }
    for tap in taps { try await tap.asks.next() }
    consumer.cancel()
    #expect(try await consumer.value == nil)
    for tap in taps { try await tap.gone.enter() }
    #expect(try await storage.next() == nil)
  }

  @Test("A consumer whose task is cancelled already gets nil, and nothing is read")
  func cancelledBefore() async throws {
    let tap = Tap(1)
    let storage = merging(tap)
    let consumer = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await storage.next()
    }
    #expect(try await consumer.value == nil)
    #expect(tap.asks.recorded.isEmpty)
  }

  /// A base that answers only when its test says so, in a cancelled task too.
  private struct Deaf: AsyncSequence {
    let asked = Gate()
    let answer = Gate()
    let gone = Gate()

    func makeAsyncIterator() -> Iterator { Iterator(deaf: self, visit: Tap<Int>.Visit(gone)) }

    struct Iterator: AsyncIteratorProtocol {
      let deaf: Deaf
      let visit: Tap<Int>.Visit

      func next() async throws -> Int? {
        deaf.asked.open()
        await Task { [answer = deaf.answer] in try? await answer.enter() }.value
        return 7
      }
    }
  }

  @Test("A base that ignores its cancellation is not waited for, and its late element is dropped")
  func deafBase() async throws {
    let deaf = Deaf()
    let storage = OperatorStorage(MergeState<Int, any Error>(bases: 1), of: [Upstream(deaf)])
    let consumer = Task { try await storage.next() }
    try await deaf.asked.enter()
    consumer.cancel()
    #expect(try await consumer.value == nil)
    deaf.answer.open()
    try await deaf.gone.enter()
    #expect(try await storage.next() == nil)
  }

  @Test("A task that waits for its turn ends as well as one that reads")
  func cancelledBetweenTurns() async throws {
    let (reading, waiting) = (Tap<Int>(), Tap(1))
    let storage = merging(reading, waiting)
    #expect(try await storage.next() == 1)
    try await reading.asks.next()
    storage.cancel()
    try await reading.gone.enter()
    try await waiting.gone.enter()
  }

  @Test("A failure reaches the consumer, ends the other bases, and then the sequence has ended")
  func failure() async throws {
    let (failing, other) = (Tap<Int>(), Tap<Int>())
    failing.finish(throwing: Mishap())
    let storage = merging(failing, other)
    await #expect(throws: Mishap()) { try await storage.next() }
    #expect(try await storage.next() == nil)
    try await failing.gone.enter()
    other.finish()
  }

  @Test("A second task that demands while one waits gets nil, and the one that waits its element")
  func twoConsumers() async throws {
    let tap = Tap<Int>()
    let storage = merging(tap)
    let first = Task { try await storage.next() }
    try await tap.asks.next()
    #expect(try await storage.next() == nil)
    tap.offer([1])
    #expect(try await first.value == 1)
    storage.cancel()
  }

  @Test("With the sequence ends the sleep for its alarm")
  func alarm() async throws {
    let clock = EndingClock()
    let tap = Tap(1)
    let storage = OperatorStorage(
      PaceState<Int, any Error>(.debounce(.seconds(1))), of: [Upstream(tap)], time: AnyClock(clock))
    let consumer = Task { try await storage.next() }
    try await clock.clock.waitForSleepers()
    storage.cancel()
    try await clock.ends.next()
    #expect(clock.clock.sleepers == 0)
    #expect(try await consumer.value == nil)
    try await tap.gone.enter()
  }

  /// The ways an operator comes to its end in the next test.
  enum Ending: CaseIterable {
    case cancelled
    case ended
    case failed
  }

  @Test("Once it has ended and is dropped, nothing holds an operator and its bases", arguments: Ending.allCases)
  func lifetime(ending: Ending) async throws {
    let clock = TestClock()
    let freed = [Gate(), Gate()]
    try await read(ending, clock: clock, freed: freed)
    for gate in freed { try await gate.enter() }
  }

  private func read(_ ending: Ending, clock: TestClock, freed: [Gate]) async throws {
    let taps = freed.map { Tap<Int>(freed: $0) }
    let debounced = taps[0].debounce(for: .seconds(1), clock: clock)
    let storage = OperatorStorage(MergeState<Int, any Error>(bases: 2), of: [Upstream(debounced), Upstream(taps[1])])
    taps[0].offer([1])
    let consumer = Task { try await storage.next() }
    try await clock.waitForSleepers()
    switch ending {
    case .cancelled:
      consumer.cancel()
      #expect(try await consumer.value == nil)
    case .ended:
      taps[0].finish()
      #expect(try await consumer.value == 1)
      taps[1].finish()
      #expect(try await storage.next() == nil)
    case .failed:
      taps[1].finish(throwing: Mishap())
      await #expect(throws: Mishap()) { try await consumer.value }
    }
  }
}

/// A test clock that tells when a sleep has ended, cancelled or not.
private struct EndingClock: Clock {
  let clock = TestClock()
  let ends = Recorder<Void>()

  var now: TestClock.Instant { clock.now }
  var minimumResolution: Duration { clock.minimumResolution }

  func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
    defer { ends.record(()) }
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
