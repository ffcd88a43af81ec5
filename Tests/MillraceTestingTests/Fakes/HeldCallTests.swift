import Dispatch
import MillraceTesting
import Testing

@Suite("HeldCall", .timeLimit(.minutes(1)))
struct HeldCallTests {
  let failures = Failures()
  let fetches: FakeCall<String, String>

  init() {
    fetches = failures.collect { FakeCall("fetch", file: "Tests/Some.swift", line: 7) }
  }

  @Test(
    "Held calls are released in any order",
    arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func anyOrder(order: [Int]) async throws {
    let held = (0..<3).map { _ in fetches.hold() }
    let ended = Recorder<String>()
    var tasks: [Task<Void, Never>] = []
    for number in 0..<3 {
      tasks.append(
        Task {
          let answer = try? await fetches("request \(number)")
          ended.record(answer ?? "failed \(number)")
        })
      #expect(try await held[number].arrived() == "request \(number)")
    }
    #expect(ended.recorded.isEmpty)
    for number in order {
      let isFailure = number == 1
      #expect(isFailure ? held[number].fail(Offline()) : held[number].release("answer \(number)"))
      #expect(try await ended.next() == (isFailure ? "failed \(number)" : "answer \(number)"))
    }
    #expect(fetches.calls.allSatisfy { $0.ended != nil })
    await fetches.finish()
    #expect(failures.messages.isEmpty)
  }

  @Test("A call that is released before it comes does not wait")
  func releasedBefore() async throws {
    let (first, second) = (fetches.hold(), fetches.when("b").hold())
    #expect(first.request == nil)
    second.release("two")
    first.fail(Offline())
    #expect(try await fetches("b") == "two")
    await #expect(throws: Offline()) { try await fetches("a") }
    #expect(first.request == "a")
    #expect(try await second.arrived() == "b")
    await fetches.finish()
    #expect(failures.messages.isEmpty)
  }

  @Test("A held call ends when its task is cancelled, and a release comes too late")
  func cancelled() async throws {
    let held = fetches.hold()
    let task = Task { try await fetches("a") }
    try await held.arrived()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!held.release("late"))
    #expect("\(try #require(fetches.calls.first?.ending))" == "cancelled")
    await fetches.finish()
    #expect(failures.messages.isEmpty)
  }

  @Test("A held call that ignores its cancellation waits for the test")
  func cancellationIsIgnored() async throws {
    let held = fetches.hold(ignoringCancellation: true)
    let task = Task { (try await fetches("a"), Task.isCancelled) }
    try await held.arrived()
    task.cancel()
    #expect(fetches.calls.first?.ended == nil)
    #expect(held.release("late"))
    #expect(try await task.value == ("late", true))
    await fetches.finish()
    #expect(failures.messages.isEmpty)
  }

  @Test("A call that was released or cancelled has ended for the test, whether its task has run since or not")
  func letGoBeforeTheEnd() async throws {
    let executor = SerialTaskExecutor()
    let (isBusy, free) = (Gate(), DispatchSemaphore(value: 0))
    @Sendable func block() { free.wait() }
    let held = [fetches.hold(), fetches.hold()]
    let tasks = held.map { _ in Task(executorPreference: executor) { try await fetches("a") } }
    for held in held { try await held.arrived() }
    let blocking = Task(executorPreference: executor) {
      isBusy.open()
      block()
    }
    try await isBusy.enter()
    held[0].release("b")
    tasks[1].cancel()
    await fetches.finish()
    #expect(failures.messages.isEmpty)
    free.signal()
    await blocking.value
  }

  @Test("A wait for a call ends when its task is cancelled")
  func waitingIsCancelled() async throws {
    let held = fetches.hold()
    let waiting = Task { try await held.arrived() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    held.release("")
    _ = try await fetches("a")
  }

  @Test("To end a held call twice is a failure at that line, and the first word counts")
  func endedTwice() async throws {
    let held = fetches.hold()
    #expect(held.release("first"))
    #expect(!held.fail(Offline()))
    let line = UInt(#line - 1)
    #expect(!held.release("third", file: "Tests/Other.swift", line: 9))
    #expect(try await fetches("a") == "first")
    let message = """
      This held call of fetch was released or failed before, and continues by that. Take this line out, or hold another call for it.
      """
    #expect(failures.messages == [message, message])
    #expect(failures.lines == [line, 9])
    #expect(failures.files == [#filePath, "Tests/Other.swift"])
  }

  @Test("To end a held call after the end of the test, or twice after it was cancelled, is told as what it is")
  func endedTooLate() async throws {
    let (cancelled, open, unused) = (fetches.hold(), fetches.hold(), fetches.hold())
    let tasks = [Task { try await fetches("a") }]
    try await cancelled.arrived()
    let second = Task { try await fetches("b") }
    try await open.arrived()
    tasks[0].cancel()
    _ = await tasks[0].result
    #expect(!cancelled.release("late"))
    #expect(failures.messages.isEmpty)
    #expect(!cancelled.fail(Offline()))
    let line = UInt(#line - 1)
    await fetches.finish()
    let count = failures.messages.count
    #expect(!open.release("late"))
    #expect(!unused.release("late"))
    _ = await second.result
    #expect(
      [failures.messages[0]] + failures.messages[count...] == [
        """
        This held call of fetch was released or failed before, and was over by then, as its task was cancelled. Take \
        this line out, or hold another call for it.
        """,
        "This held call of fetch was ended by finish() before this line. Release or fail it before finish().",
        """
        No call of fetch had come for this when finish() was called or the fake was released, and none is held any more. Take \
        this line out, find out why the call is not made, or call finish() after this line.
        """,
      ])
    #expect([failures.lines[0]] + failures.lines[count...] == [line, line + 4, line + 5])
  }

  @Test("Calls that are cancelled and released at the same time from many threads each end once")
  func releasedAndCancelledAtOnce() async throws {
    let held = (0..<300).map { _ in fetches.hold() }
    let tasks = held.map { _ in Task { try await fetches("a") } }
    for held in held { try await held.arrived() }
    await withTaskGroup { group in
      group.addTask { for task in tasks.reversed() { task.cancel() } }
      group.addTask { for held in held { held.release("b") } }
    }
    for task in tasks {
      if case .failure(let error) = await task.result { #expect(error is CancellationError) }
    }
    await fetches.finish()
    #expect(failures.messages.isEmpty)
  }
}
