import MillraceTesting
import Testing

@testable import Millrace

@Suite("Interceptor", .timeLimit(.minutes(1)))
struct InterceptorTests {
  let store = Store(initial: Counting.State(), interactor: Counting())

  @Test("An action passes the interceptors in their order; each sees what the one before put in its place")
  func order() async {
    let notes = Notes<String>()
    store.setInterceptors([
      Spy("a", notes) { action in action == .add(1) ? .replace(.add(2)) : .pass },
      Spy("b", notes) { action in action == .add(2) ? .replace(.add(3)) : .pass },
    ])
    let receipt = store.send(.add(1))
    #expect(await receipt.outcome.isFinished)
    #expect(await store.state.sum == 3)
    #expect(
      notes.all == [
        "a intercepts add(1)", "b intercepts add(2)", "a accepts add(3)", "b accepts add(3)",
        "a: added(3) makes 3 at 1 by add(3)", "b: added(3) makes 3 at 1 by add(3)", "a: add(3) finished",
        "b: add(3) finished",
      ])
  }

  @Test("A3, R1: an action that is rejected goes no further, changes nothing, and its receipt says why")
  func reject() async {
    let notes = Notes<String>()
    store.setInterceptors([Spy("a", notes) { _ in .reject("it is Sunday") }, Spy("b", notes)])
    let outcome = await store.send(.add(1)).outcome
    #expect("\(outcome)" == "rejected: An interceptor rejected the action: it is Sunday")
    #expect(await store.snapshot.revision == 0)
    #expect(notes.all == ["a intercepts add(1)", "a: add(1) rejected", "b: add(1) rejected"])
    let metrics = await store.metrics
    #expect(metrics.sent == 1)
    #expect(metrics.accepted == 0)
    #expect(metrics.rejections == [.intercepted: 1])
  }

  @Test("L5: an action that an interceptor sends passes the whole chain, behind the one that is being intercepted")
  func injected() async throws {
    let notes = Notes<String>()
    let injecting = Choosing<Counting> { action, context in
      guard case .add(let number) = action, number > 1 else { return .pass }
      context.send(.add(number - 1))
      notes.note("\(number) sent")
      return .pass
    }
    store.setInterceptors([injecting, Spy("b", notes)])
    store.send(.add(3))
    #expect(await store.state.sum == 6)
    let intercepted = notes.all.filter { $0.contains("intercepts") || $0.contains("sent") }
    #expect(intercepted == ["3 sent", "b intercepts add(3)", "2 sent", "b intercepts add(2)", "b intercepts add(1)"])
  }

  @Test("To multiply an action an interceptor rejects it and sends others, now and later")
  func multiplied() async throws {
    let later = Box<InterceptionContext<Counting.Action>?>(nil)
    store.setInterceptors([
      Choosing<Counting> { action, context in
        guard case .add(10) = action else { return .pass }
        later.value = context
        context.send(.add(1))
        context.send(.add(2))
        return .reject("sent as two")
      }
    ])
    #expect(await store.send(.add(10)).outcome.kind == .rejected)
    #expect(await store.state.sum == 3)
    later.value?.send(.add(4))
    #expect(await store.state.sum == 7)
  }

  @Test("L5: a chain of 100,000 actions, each sent by an interceptor for the one before, keeps the stack flat")
  func chainOfInjected() async {
    let count = 100_000
    store.setInterceptors([
      Choosing<Counting> { action, context in
        if case .add(let number) = action, number < count { context.send(.add(number + 1)) }
        return .pass
      }
    ])
    store.send(.add(1))
    #expect(await store.state.sum == count * (count + 1) / 2)
  }

  @Test("L5: an action that an interceptor sends when it is notified of a commit is taken up after that step")
  func sentFromACommit() async {
    let notes = Notes<String>()
    let store = store
    let echo = Telling { mutation, revision in
      notes.note("enter \(revision)")
      if case .added(let number) = mutation, number > 0 { store.send(.add(number - 1)) }
      notes.note("exit \(revision)")
    }
    store.setInterceptors([echo])
    store.send(.add(2))
    #expect(await store.snapshot.revision == 3)
    #expect(notes.all == ["enter 1", "exit 1", "enter 2", "exit 2", "enter 3", "exit 3"])
    store.setInterceptors([])
  }

  @Test("R2: the closing mutation and the outcome of a run that fails are told with its cause, in that order")
  func closing() async {
    let notes = Notes<String>()
    store.setInterceptors([Spy("a", notes)])
    #expect(await store.send(.fail).outcome.kind == .failed)
    #expect(
      notes.all == [
        "a intercepts fail", "a accepts fail", "a: closed makes -1 at 1 by fail", "a: fail failed",
      ])
  }

  @Test("Interceptors are replaced at run time, from the next action on; without any, actions go the short way again")
  func replaced() async {
    let (first, second) = (Notes<String>(), Notes<String>())
    store.setInterceptors([Spy("a", first)])
    store.send(.add(1))
    store.setInterceptors([Spy("b", second)])
    store.send(.add(2))
    store.setInterceptors([])
    store.send(.add(3))
    #expect(first.all.count == 4)
    #expect(second.all.count == 4)
    #expect(await store.state.sum == 6)
    #expect(store.look { $0.isFastPath } == true)
    #expect(store.look { $0.registry?.cause == nil } == true)
  }

  @Test("Actions that are submitted, sent in a batch, with a trace or behind another thread's step pass the chain too")
  func everyWay() async throws {
    let traces = Notes<String?>()
    store.setInterceptors([
      Choosing<Counting> { action, context in
        traces.note(context.trace?.traceparent)
        guard case .add(let number) = action else { return .pass }
        return number == 9 ? .reject("nine") : .replace(.add(number * 10))
      }
    ])
    _ = try await store.submit(.add(1))
    let batch = store.send(contentsOf: [.add(2), .add(3), .add(9)])
    #expect(await batch.outcomes.map(\.kind) == [.finished, .finished, .rejected])
    store.send(.add(4), context: TraceContext(traceparent: "t"))
    #expect(try await store.submit(.add(9)).outcome.kind == .rejected)
    #expect(await store.state.sum == 100)
    #expect(traces.all == [nil, nil, nil, nil, "t", nil])
  }

  @Test("R7: an interceptor sees the run that sends an action, and its trace")
  func parent() async throws {
    let contexts = Notes<InterceptionContext<Counting.Action>>()
    store.setInterceptors([
      Choosing<Counting> { _, context in
        contexts.note(context)
        return .pass
      }
    ])
    let runs = Recorder<RunContext?>()
    let handler: Counting.Action = .run { [store] in
      runs.record(RunContext.current)
      store.send(.add(1))
    }
    _ = await store.send(handler, context: TraceContext(traceparent: "t")).outcome
    let run = try #require(try await runs.next())
    #expect(contexts.all.first?.parent == nil)
    #expect(contexts.all.last?.parent == run.run)
    #expect(contexts.all.last?.root == run.run)
    #expect(contexts.all.last?.trace?.traceparent == "t")
  }

  @Test(
    "S1, R6: interceptors see actions rejected after shutdown; a kept context sends nothing once the store is released")
  func ended() async {
    let notes = Notes<String>()
    let later = Box<InterceptionContext<Counting.Action>?>(nil)
    var store: Store<Counting>? = Store(initial: Counting.State(), interactor: Counting())
    store?.setInterceptors([
      Spy("a", notes),
      Choosing<Counting> { _, context in
        later.value = context
        return .pass
      },
    ])
    await store?.shutdown()
    #expect(await store?.send(.add(1)).outcome.kind == .rejected)
    #expect(notes.all == ["a intercepts add(1)", "a: add(1) rejected"])
    weak let released = store
    store = nil
    #expect(released == nil)
    later.value?.send(.add(2))
    #expect(notes.all == ["a intercepts add(1)", "a: add(1) rejected"])
  }

  @Test("Eight tasks send through a chain that rejects and injects, while it is replaced; every action ends once")
  func stress() async {
    let (tasks, each) = (8, 200)
    let ended = Box(0)
    let chain: [any Interceptor<Counting>] = [
      Choosing<Counting> { action, context in
        guard case .add(let number) = action else { return .pass }
        if number == 7 { context.send(.add(0)) }
        return number == 5 ? .reject("five") : .pass
      },
      Ending { ended.update { $0 += 1 } },
    ]
    store.setInterceptors(chain)
    await withTaskGroup { group in
      for _ in 0..<tasks {
        group.addTask { [store] in
          for number in 0..<each {
            let kind = await store.send(.add(number % 10)).outcome.kind
            #expect(kind == (number % 10 == 5 ? .rejected : .finished))
            if number.isMultiple(of: 50) { store.setInterceptors(chain) }
          }
        }
      }
    }
    let sent = tasks * each + tasks * each / 10
    let metrics = await store.metrics
    #expect(metrics.sent == sent)
    #expect(ended.value == sent)
    #expect(metrics.rejections == [.intercepted: tasks * each / 10])
  }
}

/// Adds numbers, fails, or runs what it is given.
struct Counting: Interactor {
  struct State: Sendable, Equatable {
    var sum = 0
  }

  enum Action: Sendable, Equatable, CustomStringConvertible {
    case add(Int)
    case fail
    case run(@Sendable () async -> Void)

    var description: String {
      switch self {
      case .add(let number): "add(\(number))"
      case .fail: "fail"
      case .run: "run"
      }
    }

    static func == (left: Action, right: Action) -> Bool { "\(left)" == "\(right)" }
  }

  enum Mutation: Sendable, Equatable {
    case added(Int)
    case closed
  }

  struct Failure: Error {}

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    if case .add(let number) = action { .mutate(.added(number)) } else { .handle }
  }

  func handle(_ action: Action, state: State) async -> Effect<Counting> {
    Effect { _ in
      guard case .run(let body) = action else { throw Failure() }
      await body()
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? { .closed }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .added(let number): state.sum += number
    case .closed: state.sum = -1
    }
  }
}

/// Notes all that it is told.
private struct Spy: Interceptor {
  typealias I = Counting

  let name: String
  let notes: Notes<String>
  let choose: @Sendable (Counting.Action) -> Interception<Counting.Action>

  init(
    _ name: String, _ notes: Notes<String>,
    choose: @escaping @Sendable (Counting.Action) -> Interception<Counting.Action> = { _ in .pass }
  ) {
    self.name = name
    self.notes = notes
    self.choose = choose
  }

  func intercept(
    _ action: Counting.Action, context: InterceptionContext<Counting.Action>
  ) -> Interception<Counting.Action> {
    notes.note("\(name) intercepts \(action)")
    return choose(action)
  }

  func accepted(_ cause: Cause<Counting.Action>) { notes.note("\(name) accepts \(cause.action)") }

  func committed(
    _ mutation: Counting.Mutation, revision: Int, cause: Cause<Counting.Action>, state: borrowing Counting.State
  ) {
    notes.note("\(name): \(mutation) makes \(state.sum) at \(revision) by \(cause.action)")
  }

  func ended(_ cause: Cause<Counting.Action>, outcome: Outcome) {
    notes.note("\(name): \(cause.action) \(outcome.kind)")
  }
}

/// Notes commits.
private struct Telling: Interceptor {
  typealias I = Counting

  let tell: @Sendable (Counting.Mutation, Int) -> Void

  func committed(
    _ mutation: Counting.Mutation, revision: Int, cause: Cause<Counting.Action>, state: borrowing Counting.State
  ) {
    tell(mutation, revision)
  }
}

/// Implements `ended`.
private struct Ending: Interceptor {
  typealias I = Counting

  let tell: @Sendable () -> Void

  func ended(_ cause: Cause<Counting.Action>, outcome: Outcome) { tell() }
}
