import Millrace
import MillraceTesting
import Testing

@Suite("Executing a run", .timeLimit(.minutes(1)))
struct StoreCoreExecutionTests {
  @TaskLocal static var request: String?

  /// The environment that a task can inherit.
  struct Environment: Sendable, Equatable {
    var request: String?
    var isCancelled: Bool
    var priority: TaskPriority
    var basePriority: TaskPriority?

    static var current: Environment {
      Environment(
        request: StoreCoreExecutionTests.request, isCancelled: Task.isCancelled, priority: Task.currentPriority,
        basePriority: Task.basePriority)
    }
  }

  let store = Store()

  /// Sends from a task that is cancelled, has a high priority and a task-local.
  func sendFromARequest(_ send: @escaping @Sendable () -> Receipt) async -> Receipt {
    await Self.$request.withValue("a request") {
      await Task(priority: .high) {
        withUnsafeCurrentTask { $0?.cancel() }
        #expect(Environment.current.request == "a request")
        #expect(Environment.current.isCancelled)
        #expect(Environment.current.basePriority == .high)
        return send()
      }.value
    }
  }

  @Test("R7: a handler sees no task-local, priority or cancellation of the sender, before and after it suspends")
  func aHandlerInheritsNothing() async throws {
    let expected = await Task.detached { Environment.current }.value
    let gate = Gate()
    let seen = Recorder<Environment>()
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

  @Test("R7: nor does one whose action was queued, and is taken up by another thread's request")
  func aHandlerOfALeftActionInheritsNothing() async throws {
    let expected = await Task.detached { Environment.current }.value
    let seen = Recorder<Environment>()
    let inner = Box<Receipt?>(nil)
    let outer = await sendFromARequest { [store] in
      store.send(
        .commit(ScriptedInteractor.Mutation("a") { inner.value = store.send(.handle { _ in seen.record(.current) }) }))
    }
    _ = await outer.outcome
    #expect(await inner.value?.outcome.kind == .finished)
    #expect(seen.recorded == [expected])
  }

  @Test("R7: nor does a handler that is started from inside another handler")
  func aHandlerSentFromAHandlerInheritsNothing() async throws {
    let expected = await Task.detached { Environment.current }.value
    let seen = Recorder<Environment>()
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

  @Test("handle is called once for each action that asks for it, in the order of the sends of one thread")
  func handleIsCalledOnce() async {
    let calls = Recorder<Int>()
    let receipts = (0..<5).map { number in
      store.send(.handle { _ in calls.record(number) })
    }
    #expect(await kinds(receipts) == Array(repeating: .finished, count: 5))
    #expect(calls.recorded == [0, 1, 2, 3, 4])
  }

  /// Returns sequences that count how often they are asked; the second element comes when the gate is open.
  struct Counting: Interactor {
    struct Mutations: AsyncSequence {
      let asked: Recorder<Int>
      let gate: Gate

      func makeAsyncIterator() -> Iterator { Iterator(mutations: self) }

      struct Iterator: AsyncIteratorProtocol {
        let mutations: Mutations
        var count = 0

        mutating func next() async -> Int? {
          count += 1
          mutations.asked.record(count)
          if count == 2 { await mutations.gate.enterIgnoringCancellation() }
          return count > 3 ? nil : count
        }
      }
    }

    let asked = Recorder<Int>()
    let gate = Gate()

    func plan(for action: String, state: [Int]) -> Plan { .serial(key: "k") }

    func handle(_ action: String, state: [Int]) async -> Mutations { Mutations(asked: asked, gate: gate) }

    static func reduce(into state: inout [Int], mutation: Int) { state.append(mutation) }
  }

  @Test("A sequence of mutations is not read on when its run has ended", arguments: [true, false])
  func aSequenceIsNotReadOn(isCancelled: Bool) async throws {
    let counting = Counting()
    let store = Store(initial: [], interactor: counting)
    let receipt = store.send("first")
    try await counting.gate.waitForArrivals()
    if isCancelled { receipt.cancel() }
    counting.gate.open()
    // Its turn comes when the handler before it has returned.
    #expect(await store.send("second").outcome.kind == .finished)
    #expect(counting.asked.recorded == (isCancelled ? [1, 2] : [1, 2, 3, 4]) + [1, 2, 3, 4])
    #expect(await store.state == (isCancelled ? [1] : [1, 2, 3]) + [1, 2, 3])
  }

  @Test("A handler starts on the sender's thread: it has emitted by the time send returns, if it did not suspend")
  func aHandlerStartsAtOnce() {
    let emitted = Box(false)
    store.send(.handle { run in emitted.value = run.emit("a") })
    #expect(emitted.value)
  }
}
