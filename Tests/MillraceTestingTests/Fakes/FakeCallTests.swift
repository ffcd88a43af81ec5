import MillraceTesting
import Testing

@Suite("FakeCall", .timeLimit(.minutes(1)))
struct FakeCallTests {
  let fetches = FakeCall<String, [String]>("fetch")

  @Test("Calls are answered in order, by match, by a handler, and by what always answers")
  func answers() async throws {
    fetches.always { [$0, "always"] }
    fetches.reply(["first"])
    fetches.reply(["twice"], times: 2)
    fetches.fail(Offline())
    fetches.when("a").reply(["for a"])
    fetches.when { $0.hasPrefix("b") }.reply { [$0, "handled"] }
    fetches.when("c").fail(Offline())
    #expect(try await fetches("x") == ["first"])
    #expect(try await fetches("a") == ["for a"])
    #expect(try await fetches("a") == ["twice"])
    #expect(try await fetches("bee") == ["bee", "handled"])
    await #expect(throws: Offline()) { try await fetches("c") }
    #expect(try await fetches("c") == ["twice"])
    await #expect(throws: Offline()) { try await fetches("x") }
    #expect(try await fetches("x") == ["x", "always"])
    fetches.when("a").always(["always a"])
    #expect(try await fetches("a") == ["always a"])
    fetches.always { _ in throw Offline() }
    await #expect(throws: Offline()) { try await fetches("x") }
    await fetches.finish()
  }

  @Test("A match of a match is for the calls that both choose")
  func narrowing() async throws {
    fetches.always(["always"])
    let long = fetches.when { $0.count > 2 }
    long.when { $0.hasPrefix("b") }.always(["long, with b"])
    #expect(try await fetches("bee") == ["long, with b"])
    #expect(try await fetches("be") == ["always"])
    #expect(try await fetches("ant") == ["always"])
    long.always(["long"])
    #expect(try await fetches("ant") == ["long"])
    await fetches.finish()
  }

  @Test("A standing answer may use the number of the call, which counts all of them")
  func numbers() async throws {
    fetches.always(byNumber: { request, number in
      if number == 3 { throw Offline() }
      return [request, "\(number)"]
    })
    fetches.reply(["scripted"])
    #expect(try await fetches("a") == ["scripted"])
    #expect(try await fetches("b") == ["b", "2"])
    await #expect(throws: Offline()) { try await fetches("c") }
    fetches.when("d").always(byNumber: { _, number in ["d", "\(number)"] })
    #expect(try await fetches("d") == ["d", "4"])
    #expect(fetches.calls.map { $0.ended != nil } == [true, true, true, true])
    await fetches.finish()
  }

  @Test("A method that cannot throw, or throws errors of its own alone, says what it does with others")
  func methodsThatDoNotThrow() async throws {
    struct Refused: Error, Equatable { var reason: String }
    let failures = Failures()
    let counts = failures.collect { FakeCall<Void, Int>("count") }
    let fetches = failures.collect { FakeCall<String, [String]>("fetch") }
    @Sendable func count() async -> Int { await counts { _ in -1 } }
    @Sendable func fetch(_ query: String) async throws(Refused) -> [String] {
      try await fetches(query) { error throws(Refused) in
        throw (error as? Refused) ?? Refused(reason: "\(type(of: error))")
      }
    }
    counts.reply(3)
    counts.fail(Offline())
    #expect(await count() == 3)
    #expect(await count() == -1)
    #expect(failures.messages.isEmpty)
    #expect(await count() == -1)
    #expect(failures.messages.count == 1)
    fetches.reply(["a"])
    fetches.fail(Refused(reason: "no"))
    #expect(try await fetch("a") == ["a"])
    await #expect(throws: Refused(reason: "no")) { try await fetch("a") }
    await #expect(throws: Refused(reason: "FakeGatewayError")) { try await fetch("a") }
    #expect(failures.messages.count == 2)
    let held = counts.hold()
    let waiting = Task { await count() }
    try await held.arrived()
    waiting.cancel()
    #expect(await waiting.value == -1)
    #expect(failures.messages.count == 2)
  }

  @Test("Nothing asked for and nothing answered need no words")
  func voids() async throws {
    let refreshes = FakeCall<Void, Void>("refresh")
    refreshes.reply()
    refreshes.reply(times: 2)
    refreshes.always()
    for _ in 0..<4 { try await refreshes() }
    let held = refreshes.hold()
    held.release()
    try await refreshes()
    #expect(refreshes.callCount == 5)
    await refreshes.finish()
  }

  @Test("A call that is answered at once does not suspend its caller, cancelled or not")
  func doesNotSuspend() {
    fetches.always([])
    let recorder = Recorder<String>()
    Task.immediate {
      withUnsafeCurrentTask { $0?.cancel() }
      recorder.record("\(try await fetches("a"))")
    }
    #expect(recorder.recorded == ["[]"])
  }

  @Test("The log has each call with its request, its number, its times on the clock, and how it ended")
  func log() async throws {
    let failures = Failures()
    let fetches = failures.collect { FakeCall<String, [String]>("fetch") }
    let clock = TestClock()
    clock.advance(by: .seconds(100))
    fetches.use(clock: clock)
    clock.advance(by: .seconds(1))
    fetches.reply([])
    fetches.fail(Offline())
    fetches.reply { _ in
      clock.advance(by: .seconds(2))
      return []
    }
    fetches.reply { _ in throw CancellationError() }
    for request in ["a", "b", "c", "d", "e"] { _ = try? await fetches(request) }
    let open = fetches.hold()
    let task = Task { try await fetches("f") }
    try await open.arrived()
    #expect(fetches.requests == ["a", "b", "c", "d", "e", "f"])
    #expect(fetches.calls.map(\.number) == [1, 2, 3, 4, 5, 6])
    #expect(fetches.calls.map(\.began) == [1, 1, 1, 3, 3, 3].map { .seconds($0) })
    #expect(fetches.calls.map(\.ended) == [1, 1, 3, 3, 3, nil].map { $0.map { .seconds($0) } })
    #expect(
      fetches.calls.map { $0.ending.map { "\($0)" } }
        == ["replied", "failed(MillraceTestingTests.Offline())", "replied", "cancelled", "unexpected", nil])
    open.release([])
    _ = try await task.value
    #expect(failures.messages.count == 1)
  }

  @Test("By default the times are real ones, and the log of a fake that keeps none is empty")
  func defaults() async throws {
    fetches.always([])
    _ = try await fetches("a")
    #expect(try #require(fetches.calls.first).began >= .zero)
    fetches.keepLog(.last(1))
    _ = try await fetches("b")
    #expect(fetches.requests == ["b"])
    fetches.keepLog(.none)
    _ = try await fetches("c")
    #expect(fetches.calls.isEmpty)
    #expect(fetches.callCount == 3)
  }

  @Test("An unexpected call throws, and fails the test where the fake was made, in a task without a test too")
  func unexpectedCalls() async throws {
    let failures = Failures()
    let gateway = failures.collect { FakeRecords(file: "Tests/Some.swift", line: 7) }
    let error = await Task.detached { () -> (any Error)? in
      do {
        _ = try await gateway.fetch("a")
        return nil
      } catch { return error }
    }.value
    gateway.fetches.when("z").reply([])
    _ = try? await gateway.fetch("b")
    gateway.fetches.when("y").reply([])
    _ = try? await gateway.fetch("c")
    _ = try? await gateway.remove("a", count: 3)
    _ = try? await gateway.refresh()
    let fix =
      "Script it before it is made, with reply(…), fail(_:), hold() or always(…) of this fake, or of its when(_:)."
    #expect(
      failures.messages == [
        #"fetch("a") was called (call 1 of this fake), and no script is left for it. \#(fix)"#,
        #"fetch("b") was called (call 2 of this fake), and the one script that is left is for other calls. \#(fix)"#,
        #"fetch("c") was called (call 3 of this fake), and the 2 scripts that are left are for other calls. \#(fix)"#,
        #"remove(name: "a", count: 3) was called (call 1 of this fake), and no script is left for it. \#(fix)"#,
        #"refresh() was called (call 1 of this fake), and no script is left for it. \#(fix)"#,
      ])
    #expect(failures.lines == [7, 7, 7, 7, 7])
    #expect(Set(failures.files) == ["Tests/Some.swift"])
    await gateway.finish()
    let unexpected = try #require(error as? FakeGatewayError)
    #expect(unexpected.code == .unexpectedCall)
    #expect(unexpected.description == failures.messages.first)
  }

  @Test("A test waits for calls, and no longer than its task")
  func waiting() async throws {
    fetches.always([])
    let waiting = Task { try await fetches.waitForCalls(3) }
    for _ in 0..<3 { _ = try await fetches("a") }
    try await waiting.value
    try await fetches.waitForCalls(2)
    let cancelled = Task { try await fetches.waitForCalls(9) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }

  @Test("A wait for calls that never come ends when the fake is finished")
  func waitingAtTheEnd() async throws {
    fetches.always([])
    let waiting = Task.immediate { try await fetches.waitForCalls(2) }
    _ = try await fetches("a")
    await fetches.finish()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test("A log without an end keeps all calls")
  func longestLog() async throws {
    fetches.keepLog(.last(.max))
    fetches.always([])
    for _ in 0..<3 { _ = try await fetches("a") }
    #expect(fetches.requests == ["a", "a", "a"])
  }

  @Test("Calls from many threads are each answered once, and each is in the log")
  func manyThreads() async throws {
    let numbers = FakeCall<Int, Int>("number")
    for number in 0..<1_000 { numbers.reply(number) }
    let answers = try await withThrowingTaskGroup(of: [Int].self) { group in
      for task in 0..<10 {
        group.addTask {
          var answers: [Int] = []
          for call in 0..<100 { answers.append(try await numbers(task * 100 + call)) }
          return answers
        }
      }
      return try await group.reduce(into: [Int]()) { $0 += $1 }
    }
    #expect(answers.sorted() == Array(0..<1_000))
    #expect(numbers.requests.sorted() == Array(0..<1_000))
    await numbers.finish()
  }
}
