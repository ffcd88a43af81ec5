import Millrace
import MillraceTesting
import Testing

@Suite("Executing a run", .timeLimit(.minutes(1)))
struct RunnerExecutionTests {
  @TaskLocal static var request: String?

  /// What a task can inherit.
  struct Surroundings: Sendable, Equatable {
    var request: String?
    var isCancelled: Bool
    var priority: TaskPriority
    var basePriority: TaskPriority?

    static var current: Surroundings {
      Surroundings(
        request: RunnerExecutionTests.request, isCancelled: Task.isCancelled, priority: Task.currentPriority,
        basePriority: Task.basePriority)
    }
  }

  let store = Store()

  /// Sends from a task that is cancelled, has a high priority and a task-local.
  func sendFromARequest(_ send: @escaping @Sendable () -> Receipt) async -> Receipt {
    await Self.$request.withValue("a request") {
      await Task(priority: .high) {
        withUnsafeCurrentTask { $0?.cancel() }
        #expect(Surroundings.current.request == "a request")
        #expect(Surroundings.current.isCancelled)
        #expect(Surroundings.current.basePriority == .high)
        return send()
      }.value
    }
  }

  @Test("R7: a handler sees no task-local, priority or cancellation of the sender, before and after it suspends")
  func aHandlerInheritsNothing() async throws {
    let expected = await Task.detached { Surroundings.current }.value
    let gate = Gate()
    let seen = Recorder<Surroundings>()
    let receipt = await sendFromARequest { [store] in
      store.send(
        .handle { _ in
          seen.record(.current)
          try await gate.enter()
          seen.record(.current)
        })
    }
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
    #expect(seen.recorded == [expected, expected])
  }

  @Test("R7: nor does one whose action was left, and is taken up by another thread's request")
  func aHandlerOfALeftActionInheritsNothing() async throws {
    let expected = await Task.detached { Surroundings.current }.value
    let seen = Recorder<Surroundings>()
    let inner = Box<Receipt?>(nil)
    let outer = await sendFromARequest { [store] in
      store.send(
        .commit(Script.Mutation("a") { inner.value = store.send(.handle { _ in seen.record(.current) }) }))
    }
    _ = await outer.outcome
    #expect(await inner.value?.outcome.kind == .finished)
    #expect(seen.recorded == [expected])
  }

  @Test("R7: nor does a handler that is started from inside another handler")
  func aHandlerSentFromAHandlerInheritsNothing() async throws {
    let expected = await Task.detached { Surroundings.current }.value
    let seen = Recorder<Surroundings>()
    let inner = Box<Receipt?>(nil)
    let outer = store.send(
      .handle { [store] _ in
        inner.value = Self.$request.withValue("the outer run's") {
          store.send(.handle { _ in seen.record(.current) })
        }
      })
    _ = await outer.outcome
    #expect(await inner.value?.outcome.kind == .finished)
    #expect(seen.recorded == [expected])
  }

  @Test("handle is called once, with the action, for each action that asks for it")
  func handleIsCalledOnce() async {
    let calls = Recorder<Int>()
    let receipts = (0..<5).map { number in
      store.send(.handle { _ in calls.record(number) })
    }
    #expect(await kinds(receipts) == Array(repeating: .finished, count: 5))
    #expect(calls.recorded.sorted() == [0, 1, 2, 3, 4])
  }

  @Test("A handler starts on the sender's thread: it has emitted by the time send returns, if it did not suspend")
  func aHandlerStartsAtOnce() {
    let emitted = Box(false)
    store.send(.handle { run in emitted.value = run.emit("a") })
    #expect(emitted.value)
  }
}
