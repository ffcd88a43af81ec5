import Dispatch
import MillraceTesting
import Testing

@testable import Millrace

@Suite("TaskStart", .timeLimit(.minutes(1)))
struct TaskStartTests {
  private struct Failure: Error {}

  @TaskLocal private static var request = "none"

  @Test("The body begins on the thread that makes the task, and the call returns once it suspends")
  func beginsOnThisThread() async throws {
    let gate = Gate()
    let notes = Notes<String>()
    let caller = currentThread()
    let task = makeDetachedTask {
      notes.note(currentThread() == caller ? "here" : "elsewhere")
      try await gate.enter()
      notes.note("resumed")
    }
    notes.note("returned")
    gate.open()
    try await task.value
    #expect(notes.all == ["here", "returned", "resumed"])
  }

  @Test("R7: the task has no task-local value, priority or cancellation of the task that makes it")
  func inheritsNothing() async throws {
    let notes = Notes<String>()
    let maker = Task(priority: .low) {
      withUnsafeCurrentTask { $0?.cancel() }
      return Self.$request.withValue("the maker's") {
        makeDetachedTask {
          let isOfMaker = Task.basePriority == .low || Task.isCancelled
          notes.note("\(Self.request), \(isOfMaker)")
        }
      }
    }
    try await maker.value.value
    #expect(notes.all == ["none, false"])
  }

  @Test("R7: the task is isolated to no actor, also when an actor makes it")
  func isOfNoActor() async throws {
    let resumed = DispatchSemaphore(value: 0)
    let task = await MainActor.run {
      let task = makeDetachedTask {
        await Task.yield()
        resumed.signal()
      }
      // The actor is kept until the task has continued elsewhere.
      resumed.wait()
      return task
    }
    try await task.value
  }

  @Test("An error of the body is the task's, and so is its cancellation")
  func failsAndIsCancelled() async {
    let failing = makeDetachedTask { throw Failure() }
    await #expect(throws: Failure.self) { try await failing.value }
    let gate = Gate()
    let cancelled = makeDetachedTask { try await gate.enter() }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }

  @Test("The context of the body is released once the body has returned, and not before", arguments: [false, true])
  func releasesItsContext(isKept: Bool) async throws {
    let released = Recorder<Void>()
    let gate = Gate()
    var task: Task<Void, any Error>? = start(holding: ReleaseRecorder(released), until: gate)
    if !isKept { task = nil }
    try await gate.waitForArrivals()
    #expect(released.recorded.isEmpty)
    gate.open()
    try await released.next()
    try await task?.value
  }

  private func start(holding held: ReleaseRecorder, until gate: Gate) -> Task<Void, any Error> {
    makeDetachedTask {
      try await gate.enter()
      withExtendedLifetime(held) {}
    }
  }

  @Test("A body without a context starts as one with a context does")
  func hasNoContext() async throws {
    let task = makeDetachedTask(bodyWithoutContext)
    try await task.value
    #expect(ran.value)
  }

  @Test("Tasks made by many threads at once all run to their end")
  func manyAtOnce() async {
    let count = Box(0)
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<1_000 {
            let task = makeDetachedTask {
              await Task.yield()
              count.update { $0 += 1 }
            }
            _ = await task.result
          }
        }
      }
    }
    #expect(count.value == 8_000)
  }
}

private let ran = Box(false)

@concurrent
private func bodyWithoutContext() async throws {
  ran.value = true
}
