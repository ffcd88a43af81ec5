import MillraceTesting
import Testing

@Suite("FakeStream", .timeLimit(.minutes(1)))
struct FakeStreamTests {
  let failures = Failures()
  let follows: FakeStream<String, Int>

  init() {
    follows = failures.collect { FakeStream("follow", file: "Tests/Some.swift", line: 7) }
  }

  private func follow(_ query: String) -> AsyncThrowingStream<Int, any Error> { follows(query) }

  private func followWithoutErrors(_ query: String) -> AsyncStream<Int> { follows(query) }

  /// The elements of a sequence, and "failed" for an error.
  private func texts(_ sequence: some AsyncSequence<Int, any Error>) async -> [String] {
    var texts: [String] = []
    do {
      for try await element in sequence { texts.append("\(element)") }
    } catch {
      texts.append(error is Offline ? "offline" : "\(error)")
    }
    return texts
  }

  private var endings: [String] { follows.calls.map { $0.ending.map { "\($0)".prefix(6) } ?? "open" }.map(String.init) }

  @Test("Calls are answered in order, by match, and by what always answers")
  func answers() async {
    follows.always([0])
    follows.reply([1, 2], times: 2)
    follows.reply([3], failing: Offline())
    follows.when("b").reply([4])
    #expect(await texts(follow("a")) == ["1", "2"])
    #expect(await texts(follow("b")) == ["4"])
    #expect(await texts(follow("b")) == ["1", "2"])
    #expect(await texts(follow("a")) == ["3", "offline"])
    #expect(await texts(follow("a")) == ["0"])
    follows.always { [$0.count] }
    #expect(await texts(follow("abc")) == ["3"])
    follows.when { $0.isEmpty }.always { _ in throw Offline() }
    #expect(await texts(follow("")) == ["offline"])
    follows.when { $0.count > 1 }.when("ab").reply([5])
    #expect(await texts(follow("a")) == ["1"])
    #expect(await texts(follow("ab")) == ["5"])
    #expect(follows.requests == ["a", "b", "b", "a", "a", "abc", "", "a", "ab"])
    #expect(endings == ["replie", "replie", "replie", "failed", "replie", "replie", "failed", "replie", "replie"])
    #expect(follows.callCount == 9)
    await follows.finish()
    #expect(failures.messages.isEmpty)
  }

  @Test("Elements given before the call come first, also while the call is being made")
  func order() async throws {
    for _ in 0..<300 {
      let driven = follows.drive()
      for element in 0..<10 { driven.yield(element) }
      let seen = Task.detached { [follows] in
        var seen: [Int] = []
        for await element in follows("a") as AsyncStream<Int> { seen.append(element) }
        return seen
      }
      for element in 10..<20 { driven.yield(element) }
      driven.finish()
      #expect(await seen.value == Array(0..<20))
    }
  }

  @Test("A test gives the elements one by one, before and after the stream is open, and ends it")
  func driven() async throws {
    let driven = follows.when("a").drive()
    let seen = Recorder<Int>()
    driven.yield(1)
    #expect(driven.request == nil)
    let task = seen.record(from: follow("a"))
    #expect(try await driven.opened() == "a")
    #expect(driven.yield(2))
    #expect(try await seen.next(2) == [1, 2])
    #expect(endings == ["open"])
    #expect(driven.finish())
    try await task.value
    #expect("\(try await driven.ended())" == "replied")
    #expect(!driven.yield(3))
    #expect(!driven.fail(Offline()))
    #expect(endings == ["replie"])
    let failing = follows.drive()
    failing.fail(Offline())
    #expect(await texts(follow("b")) == ["offline"])
    await follows.finish()
    #expect(failures.messages.isEmpty)
  }

  @Test("A consumer whose task is cancelled, or that releases the sequence, is seen to leave")
  func consumerLeaves() async throws {
    let cancelled = follows.drive()
    let task = Task { [follows] in
      for try await _ in follows("a") as AsyncThrowingStream {}
    }
    try await cancelled.opened()
    task.cancel()
    #expect("\(try await cancelled.ended())" == "cancelled")
    #expect(!cancelled.yield(1))
    let dropped = follows.drive()
    do { _ = followWithoutErrors("b") }
    #expect("\(try await dropped.ended())" == "cancelled")
    #expect(endings == ["cancel", "cancel"])
    await follows.finish()
    #expect(failures.messages.isEmpty)
  }

  @Test("An unexpected call ends with an error, and fails the test where the fake was made")
  func unexpected() async {
    let texts = await texts(follow("a"))
    var count = 0
    for await _ in followWithoutErrors("b") { count += 1 }
    let fix =
      "Script it before it is made, with reply(…), drive() or always(…) of this fake, or of its when(_:)."
    let messages = [#"follow("a") was called (call 1 of"#, #"follow("b") was called (call 2 of"#].map {
      "\($0) this fake), and no script is left for it. \(fix)"
    }
    #expect(failures.messages == messages)
    #expect(failures.lines == [7, 7])
    #expect(texts == [messages[0]])
    #expect(count == 0)
  }

  @Test("An error for a sequence that cannot throw fails the test, and ends the sequence")
  func cannotThrow() async {
    follows.reply([1], failing: Offline())
    var elements: [Int] = []
    for await element in followWithoutErrors("a") { elements.append(element) }
    #expect(elements == [1])
    #expect(
      failures.messages == [
        """
        A script of follow ends its sequence with the error Offline(), but follow returns an AsyncStream, which cannot \
        throw, and just ends. Let the script end without an error, or let the method return an AsyncThrowingStream.
        """
      ])
    #expect(failures.lines == [7])
  }

  @Test("Unused scripts, and a stream that has not ended, fail the test where they were scripted, and end")
  func leftovers() async throws {
    let open = follows.drive()
    let unused = follows.drive()
    let line = UInt(#line - 2)
    let sequence = follow("a")
    let waiting = Task { try await unused.opened() }
    await follows.finish()
    #expect(
      failures.messages == [
        """
        What is scripted here for follow was never used; follow was called once in all. Take it out, find out why the \
        call is not made, or use always(…), which may be left unused.
        """,
        """
        follow("a") (call 1) got what is scripted here, and has not ended. Before finish(), let go what holds it, \
        await what made it, or cancel that.
        """,
      ])
    #expect(failures.lines == [line + 1, line])
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(await texts(sequence).count == 1)
    #expect(!open.yield(1))
  }

  @Test("A stream released without having been finished fails the test for unused scripts")
  func letGo() async throws {
    let driven = failures.collect {
      let follows = FakeStream<String, Int>("other")
      follows.always([1])
      return follows.drive()
    }
    #expect(
      failures.messages == [
        """
        What is scripted here for other was never used; other was called 0 times and then released without finish(). Take \
        it out, find out why the call is not made, or use always(…), which may be left unused; and end the test with \
        finish() of its gateway.
        """
      ])
    await #expect(throws: CancellationError.self) { try await driven.opened() }
  }

  @Test("Clock and log are set as for calls, and faults are not met")
  func settings() async {
    follows.always([1])
    follows.use(clock: ImmediateClock())
    follows.inject(FakeFaults(seed: 1, clock: TestClock(), faults: [.reset: 1]))
    follows.keepLog(.last(1))
    for _ in 0..<3 { #expect(await texts(follow("a")) == ["1"]) }
    #expect(follows.calls.map(\.number) == [3])
    #expect(follows.calls.map(\.ended) == [.zero])
  }

  @Test("A method without arguments calls without any")
  func voids() async {
    let ticks = FakeStream<Void, Int>("ticks")
    ticks.reply([1])
    ticks.reply([2])
    let throwing: AsyncThrowingStream<Int, any Error> = ticks()
    #expect(await texts(throwing) == ["1"])
    var elements: [Int] = []
    for await element in ticks() as AsyncStream { elements.append(element) }
    #expect(elements == [2])
  }
}
