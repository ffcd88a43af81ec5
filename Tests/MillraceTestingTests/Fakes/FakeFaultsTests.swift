import MillraceTesting
import Testing

@Suite("FakeFaults", .timeLimit(.minutes(1)))
struct FakeFaultsTests {
  let clock = TestClock()
  let fetches = FakeCall<Int, String>("fetch")

  /// Repeats these numbers, from 0 up to 1.
  struct Draws: RandomNumberGenerator, Sendable {
    var parts: [Double]
    var index = 0

    mutating func next() -> UInt64 {
      defer { index = (index + 1) % parts.count }
      return UInt64(parts[index] * 0x1p53) << 11
    }
  }

  /// Faults of which one call after the other meets these.
  private func inject(_ faults: [FakeFaults.Fault?], latency: FakeFaults.Latency = .none) {
    var settings = FakeFaults.Settings()
    settings.latency = latency
    for fault in FakeFaults.Fault.allCases { settings.faults[fault] = 0.1 }
    let draws = faults.flatMap { fault in
      [fault.flatMap { FakeFaults.Fault.allCases.firstIndex(of: $0) }.map { Double($0) * 0.1 + 0.05 } ?? 0.9, 0.5, 0.5]
    }
    fetches.inject(FakeFaults(random: Draws(parts: draws), clock: clock, settings: settings))
  }

  @Test("The same seed and order of calls give the same faults and times, and another seed gives others")
  func seeds() async throws {
    func trace(_ seed: UInt64) async throws -> [String] {
      let fetches = FakeCall<Int, String>("fetch")
      let clock = ImmediateClock()
      fetches.always("a")
      fetches.use(clock: clock)
      fetches.inject(
        FakeFaults(
          seed: seed, clock: clock, latency: .uniform(.milliseconds(1) ... .milliseconds(9)),
          faults: [.slow: 0.1, .timeout: 0.1, .reset: 0.1, .duplicate: 0.1, .outOfOrder: 0.1]))
      for number in 0..<200 { _ = try? await fetches(number) }
      return fetches.calls.filter { !$0.isDuplicate }.map {
        "\($0.number) \($0.request) \($0.began) \($0.fault.map { "\($0)" } ?? "")"
      }
    }
    let first = try await trace(7)
    #expect(try await trace(7) == first)
    #expect(try await trace(8) != first)
    for fault in FakeFaults.Fault.allCases {
      let count = first.filter { $0.hasSuffix(fault.description) }.count
      #expect((8...45).contains(count), "\(fault)")
    }
  }

  @Test("Faults whose parts sum up to more than 1 get what is left, in their order")
  func parts() async {
    var settings = FakeFaults.Settings()
    settings.faults = [.reset: 1, .slow: 0.75, .timeout: 0.5]
    let draws = [0.0, 0.74, 0.76, 0.99].flatMap { (part: Double) -> [Double] in [part, 0, 0] }
    fetches.inject(FakeFaults(random: Draws(parts: draws), clock: ImmediateClock(), settings: settings))
    fetches.always("a")
    for number in 0..<4 { _ = try? await fetches(number) }
    #expect(fetches.calls.map(\.fault) == [.slow, .slow, .timeout, .timeout])
  }

  @Test("A call takes its latency on the clock before it is answered, and a slow one takes more")
  func latency() async throws {
    fetches.always("a")
    fetches.use(clock: clock)
    inject([nil, .slow], latency: .fixed(.seconds(1)))
    let calls = [Task { try await fetches(1) }]
    try await clock.waitForSleepers(1)
    let slow = Task { try await fetches(2) }
    try await clock.waitForSleepers(2)
    #expect(clock.deadlines.map(\.offset) == [.seconds(1), .seconds(6)])
    clock.advance(by: .seconds(1))
    #expect(try await calls[0].value == "a")
    clock.run()
    #expect(try await slow.value == "a")
    #expect(fetches.calls.map(\.ended) == [.seconds(1), .seconds(6)])
    #expect(fetches.calls.map(\.fault) == [nil, .slow])
  }

  @Test("A call that times out is handled, and throws once no caller would wait any longer")
  func timeout() async throws {
    fetches.reply("lost")
    inject([.timeout])
    let call = Task { try await fetches(1) }
    try await clock.waitForSleepers()
    #expect(clock.deadlines.map(\.offset) == [.seconds(30)])
    clock.run()
    await #expect(throws: FakeFaults.Fault.timeout) { try await call.value }
    await fetches.finish()
  }

  @Test("A call that is reset throws, and uses no script")
  func reset() async throws {
    fetches.reply("next")
    inject([.reset, nil])
    await #expect(throws: FakeFaults.Fault.reset) { try await fetches(1) }
    #expect(try await fetches(2) == "next")
    await fetches.finish()
  }

  @Test("A request that is delivered twice is handled twice, is twice in the log, and gets the first answer")
  func duplicate() async throws {
    let handled = Recorder<Int>()
    fetches.reply {
      handled.record($0)
      return "\(handled.recorded.count)"
    }
    fetches.reply("scripted")
    fetches.reply("next")
    inject([.duplicate, .duplicate, nil])
    #expect(try await fetches(1) == "1")
    #expect(try await fetches(2) == "scripted")
    #expect(try await fetches(3) == "next")
    #expect(handled.recorded == [1, 1])
    #expect(fetches.requests == [1, 1, 2, 2, 3])
    #expect(fetches.calls.map(\.isDuplicate) == [false, true, false, true, false])
    #expect(fetches.calls.allSatisfy { "\($0.ending!)" == "replied" })
    await fetches.finish()
  }

  @Test("An answer out of order waits for the answer to a later call")
  func outOfOrder() async throws {
    fetches.always { "\($0)" }
    inject([.outOfOrder, nil])
    let first = Task { try await fetches(1) }
    try await clock.waitForSleepers()
    #expect(fetches.calls[0].ended == nil)
    #expect(try await fetches(2) == "2")
    // The time does not move: without the later call it would wait for ever.
    #expect(try await first.value == "1")
    #expect(clock.sleepers == 0)
  }

  @Test("An answer out of order comes at the latest when no caller would wait any longer, and not for a cancelled task")
  func outOfOrderIsBounded() async throws {
    fetches.always { "\($0)" }
    inject([.outOfOrder])
    let call = Task { try await fetches(1) }
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    #expect(try await call.value == "1")
    let cancelled = Task { try await fetches(2) }
    try await clock.waitForSleepers()
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    await fetches.finish()
  }

  @Test("An answer out of order is overtaken by a call that is reset, or that nothing is scripted for")
  func overtakenByFailures() async throws {
    let failures = Failures()
    let fetches = failures.collect { FakeCall<Int, String>("fetch") }
    var settings = FakeFaults.Settings()
    settings.faults = [.outOfOrder: 0.5, .reset: 0.1]
    // Resets are drawn before answers out of order.
    let draws = [0.2, 0.05, 0.2, 0.9].flatMap { (part: Double) -> [Double] in [part, 0, 0] }
    fetches.inject(FakeFaults(random: Draws(parts: draws), clock: clock, settings: settings))
    for fault in [FakeFaults.Fault.reset, nil] {
      fetches.reply("late")
      let first = Task { try await fetches(1) }
      try await clock.waitForSleepers()
      if let fault {
        await #expect(throws: fault) { try await fetches(2) }
      } else {
        await #expect(throws: FakeGatewayError.self) { try await fetches(2) }
      }
      #expect(try await first.value == "late")
    }
    #expect(failures.messages.count == 1)
  }

  @Test(
    "Where time does not pass, an answer out of order waits for calls that are under way, and for none that may come")
  func outOfOrderWithoutTime() async throws {
    var settings = FakeFaults.Settings()
    settings.faults = [.outOfOrder: 1]
    let immediate = ImmediateClock()
    fetches.inject(FakeFaults(random: SeededGenerator(seed: 1), clock: immediate, settings: settings))
    let ended = TestClock()
    fetches.use(clock: ended)
    let held = fetches.when(2).hold()
    let second = Box<Task<String, any Error>?>(nil)
    fetches.when(1).reply { _ in
      second.value = Task.immediate { try await fetches(2) }
      return "1"
    }
    let first = Task.immediate { try await fetches(1) }
    try await held.arrived()
    ended.advance(by: .seconds(1))
    held.release("2")
    #expect(try await second.value?.value == "2")
    #expect(try await first.value == "1")
    #expect(fetches.calls.map(\.ended) == [.seconds(1), .seconds(1)])
    fetches.reply("3")
    #expect(try await fetches(3) == "3")
    #expect(immediate.now.offset == .zero)
    await fetches.finish()
  }

  @Test(
    "A part that is not from 0 to 1 fails the test where the faults are made, and is taken for the nearest one",
    arguments: [
      (Double.nan, "nan", 0), (-1, "-1.0", 0), (-.infinity, "-inf", 0), (1.5, "1.5", 1), (.infinity, "inf", 1),
    ])
  func badParts(part: Double, text: String, nearest: Int) async {
    let failures = Failures()
    let faults = failures.collect {
      FakeFaults(seed: 1, clock: clock, faults: [.reset: part], file: "Tests/Some.swift", line: 7)
    }
    #expect(
      failures.messages == [
        """
        The part of the calls that meet the fault .reset is \(text), which is not from 0 to 1; it is taken for \(nearest). \
        Give 0 for none of the calls, 1 for each, 0.25 for one of four.
        """
      ])
    #expect(failures.lines == [7])
    fetches.always("a")
    fetches.inject(faults)
    for number in 0..<9 { _ = try? await fetches(number) }
    #expect(fetches.calls.filter { $0.fault == .reset }.count == nearest * 9)
  }

  @Test("Faults beside one whose part is no number are met")
  func besideABadPart() async {
    let faults = Failures().collect { FakeFaults(seed: 1, clock: ImmediateClock(), faults: [.slow: .nan, .reset: 1]) }
    fetches.always("a")
    fetches.inject(faults)
    _ = try? await fetches(1)
    #expect(fetches.calls.map(\.fault) == [.reset])
  }

  @Test("Times beyond all bounds are bounded, those of clocks too")
  func boundlessTimes() async throws {
    var settings = FakeFaults.Settings()
    settings.faults = [.timeout: 1]
    settings.latency = .fixed(.seconds(Int64.max))
    settings.patience = .seconds(Int64.max)
    fetches.reply("a")
    fetches.inject(FakeFaults(random: SeededGenerator(seed: 1), clock: ContinuousClock(), settings: settings))
    let call = Task { try await fetches(1) }
    try await fetches.waitForCalls()
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    await fetches.finish()
  }

  @Test("A cancelled call does not wait for its latency, and one without a script does not meet its fault")
  func cancelledAndUnexpected() async throws {
    let failures = Failures()
    let fetches = failures.collect { FakeCall<Int, String>("fetch") }
    fetches.reply("a")
    fetches.inject(FakeFaults(seed: 1, clock: clock, latency: .fixed(.seconds(1))))
    let cancelled = Task { try await fetches(1) }
    try await clock.waitForSleepers()
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    await #expect(throws: FakeGatewayError.self) { try await fetches(2) }
    #expect(failures.messages.count == 1)
    fetches.inject(nil)
    fetches.reply("b")
    #expect(try await fetches(3) == "b")
  }

  @Test("Each fault says what it is")
  func descriptions() {
    #expect(
      FakeFaults.Fault.allCases.map(\.description) == [
        "The call is slow.", "The call timed out: it was handled, and its answer was lost (FakeFaults).",
        "The connection was reset before the call was handled (FakeFaults).", "The request is delivered twice.",
        "The answer comes after one to a later call.",
      ])
  }
}
