import MillraceTesting
import Testing

@testable import Millrace

/// Interceptors that send, replace the chain and meet the end of a store, from inside their own methods.
@Suite("Interceptor reentrancy", .timeLimit(.minutes(1)))
struct InterceptorReentrancyTests {
  let store = Store(initial: Counting.State(), interactor: Counting())

  // MARK: Chains of sends

  /// The hook from which an interceptor sends.
  enum Hook: String, CaseIterable, CustomTestStringConvertible {
    case accepted, committed, ended

    var testDescription: String { rawValue }
  }

  @Test(
    "L5: a chain of 100,000 actions, each sent at the notification of the one before, keeps the stack flat",
    arguments: Hook.allCases)
  func chain(_ hook: Hook) async throws {
    let count = scaled(100_000)
    let depth = Box(0)
    store.setInterceptors([
      Hooked { [store] here, action in
        guard here == hook, case .add(let number) = action, number < count else { return }
        #expect(
          depth.update {
            $0 += 1; return $0
          } == 1)
        store.send(.add(number + 1))
        depth.update { $0 -= 1 }
      }
    ])
    store.send(.add(1))
    try await store.wait { $0.sum == count * (count + 1) / 2 }
    store.setInterceptors([])
  }

  @Test("L5: a chain of 100,000 actions that interceptors send which replace the chain each time keeps the stack flat")
  func chainOfReplacedChains() async throws {
    let (count, depth, deepest) = (scaled(100_000), Box(0), Box(0))
    let chain = Box<[any Interceptor<Counting>]>([])
    chain.value = [
      Choosing<Counting> { [store] action, context in
        guard case .add(let number) = action, number < count else { return .pass }
        let now = depth.update {
          $0 += 1; return $0
        }
        deepest.update { $0 = max($0, now) }
        store.setInterceptors(chain.value)
        // A nested interception would overflow the stack in the end; this stops it before, and fails.
        if now < 100 { context.send(.add(number + 1)) }
        depth.update { $0 -= 1 }
        return .pass
      }
    ]
    store.setInterceptors(chain.value)
    store.send(.add(1))
    #expect(deepest.value == 1)
    if deepest.value == 1 { try await store.wait { $0.sum == count * (count + 1) / 2 } }
    store.setInterceptors([])
    chain.value = []
  }

  @Test(
    "An interceptor that sends 50,000 actions for one sends them in their order, in a time that grows with their number"
  )
  func manyAtOnce() async throws {
    let count = scaled(50_000)
    let notes = Notes<Int>()
    store.setInterceptors([
      Choosing<Counting> { action, context in
        if case .add(let number) = action, number > 0 { notes.note(number) }
        guard case .add(0) = action else { return .pass }
        for number in 1...count { context.send(.add(number)) }
        return .pass
      }
    ])
    store.send(.add(0))
    #expect(await store.state.sum == count * (count + 1) / 2)
    #expect(notes.all == Array(1...count))
  }

  @Test("L5: an action of a task that begins inside an interception comes behind the intercepted action")
  func taskInsideAnInterception() async throws {
    let notes = Notes<String>()
    store.setInterceptors([
      Choosing<Counting> { [store] action, _ in
        notes.note("\(action) in")
        if action == .add(1) {
          Task.immediate {
            notes.note("task")
            store.send(.add(2))
          }
        }
        notes.note("\(action) out")
        return .pass
      }
    ])
    store.send(.add(1))
    #expect(await store.state.sum == 3)
    #expect(notes.all == ["add(1) in", "task", "add(1) out", "add(2) in", "add(2) out"])
  }

  @Test(
    "An action that an interceptor sends is accepted behind the one it intercepts, however that was given to the store",
    arguments: [true, false])
  func injectedBehind(isSubmitted: Bool) async throws {
    let accepted = Notes<String>()
    store.setInterceptors([
      Choosing<Counting> { action, context in
        if action == .add(1) { context.send(.add(2)) }
        return .pass
      },
      Hooked { hook, action in if hook == .accepted { accepted.note("\(action)") } },
    ])
    if isSubmitted { try await store.submit(.add(1)) } else { store.send(.add(1)) }
    await store.settle()
    #expect(accepted.all == ["add(1)", "add(2)"])
  }

  @Test(
    """
    L5: an interceptor that lets all pass leaves the order of commits as it is (it postponed what a handler sends before its \
    first suspension)
    """, arguments: [true, false])
  func passingChangesNoOrder(isSubmitted: Bool) async throws {
    let store = Store<ScriptedInteractor>()
    let sending = ScriptedInteractor.Action.handle { [unowned store] run in
      run.emit("before")
      store.send(.commit("sent"))
      run.emit("after")
    }
    func orderOfCommits() async throws -> [String] {
      let before = await store.log.count
      let receipt = isSubmitted ? try await store.submit(sending) : store.send(sending)
      #expect(await receipt.outcome.isFinished)
      return await Array(store.log.dropFirst(before))
    }
    #expect(try await orderOfCommits() == ["before", "sent", "after"])
    store.setInterceptors([Choosing<ScriptedInteractor> { _, _ in .pass }])
    #expect(try await orderOfCommits() == ["before", "sent", "after"])
  }

  // MARK: Replacing the chain

  @Test(
    "An interceptor that replaces the chain while it intercepts sees its own action through; the next meets the new one"
  )
  func replacedWhileIntercepting() async throws {
    let notes = Notes<String>()
    store.setInterceptors([
      Choosing<Counting> { [store] action, _ in
        notes.note("old \(action)")
        store.setInterceptors([Hooked { hook, action in notes.note("new \(hook) \(action)") }])
        return .pass
      }
    ])
    store.send(.add(1))
    store.send(.add(2))
    await store.settle()
    #expect(notes.all.filter { $0.hasPrefix("old") } == ["old add(1)"])
    #expect(
      notes.all.filter { $0.hasPrefix("new") } == [
        "new accepted add(1)", "new committed add(1)", "new ended add(1)", "new accepted add(2)",
        "new committed add(2)", "new ended add(2)",
      ])
    #expect(await store.state.sum == 3)
  }

  @Test(
    "A chain that is replaced from inside a commit, or an interceptor's method, counts from the end of that step",
    arguments: Hook.allCases)
  func replacedInsideAStep(_ hook: Hook) async throws {
    let (old, new) = (Notes<Hook>(), Notes<Hook>())
    store.setInterceptors([
      Hooked { [store] here, _ in
        old.note(here)
        if here == hook { store.setInterceptors([Hooked { here, _ in new.note(here) }]) }
      }
    ])
    store.send(.add(1))
    store.send(.add(2))
    await store.settle()
    #expect(old.all == Hook.allCases)
    #expect(new.all == Hook.allCases)
  }

  @Test("A chain that is set from inside a reducer counts from the end of that step")
  func setInsideAReducer() async throws {
    let sheet = Store<ClosureInteractor>()
    let commits = Notes<Int>()
    sheet.send(
      .writeAll([
        { state in
          state.count = 1
          sheet.setInterceptors([Revisions { commits.note($0) }])
        }, { $0.count = 2 },
      ]))
    sheet.send(.count(3))
    await sheet.settle()
    #expect(commits.all == [3])
    sheet.setInterceptors([])
    sheet.send(.count(4))
    #expect(sheet.look { $0.isFastPath } == true)
    #expect(commits.all == [3])
  }

  // MARK: The end of the store

  @Test(
    "S1: interceptors that reject everything from outside let a drain end, and it does not count what they reject",
    arguments: [true, false])
  func rejectingDuringADrain(isIntercepted: Bool) async throws {
    let (gate, begun) = (Gate(), Recorder<Void>())
    let running = store.send(.run { await gate.enterIgnoringCancellation() })
    try await gate.waitForArrivals()
    if isIntercepted { store.setInterceptors([Choosing<Counting> { _, _ in .reject("closed") }]) }
    let task = store.send { _ in
      try? await Gate().enter()
      begun.record(())
    }
    let closing = Task { [store] in await store.shutdown(drainFor: .seconds(60)) }
    try await begun.next()
    for _ in 0..<10 { #expect(await store.send(.add(1)).outcome.kind == .rejected) }
    gate.open()
    #expect(await running.outcome.isFinished)
    let report = await closing.value
    #expect(report.isClean)
    #expect(report.drained == 1)
    try await task.value
  }

  @Test("S1: an action that an interceptor sends when an action ends does not keep a drain from ending")
  func sendingDuringADrain() async throws {
    let (gate, kinds) = (Gate(), Notes<String>())
    store.setInterceptors([
      Ended { [store] cause, outcome in
        kinds.note("\(cause.action) \(outcome.kind)")
        if case .run = cause.action { store.send(.add(1)) }
      }
    ])
    store.send(.run { await gate.enterIgnoringCancellation() })
    try await gate.waitForArrivals()
    let closing = Task { [store] in await store.shutdown(drainFor: .seconds(60)) }
    gate.open()
    let report = await closing.value
    #expect(report.isClean)
    #expect(kinds.all.first == "run finished")
    await store.settle()
    store.setInterceptors([])
  }

  @Test(
    "R6: an interceptor that keeps its context is released with the store, shut down or not (both were leaked)",
    arguments: [true, false])
  func keptContext(isShutDown: Bool) async throws {
    let contexts = Notes<InterceptionContext<Counting.Action>>()
    var store: Store<Counting>? = Store(initial: Counting.State(), interactor: Counting())
    var keeping: Keeping? = Keeping()
    store?.setInterceptors([try #require(keeping)])
    weak let interceptor = keeping
    keeping = nil
    store?.send(.add(1))
    interceptor?.contexts.all.forEach { contexts.note($0) }
    #expect(contexts.all.count == 1)
    if isShutDown { await store?.shutdown() }
    weak let core = store?.core
    store = nil
    #expect(interceptor == nil)
    #expect(core == nil)
    for context in contexts.all { context.send(.add(2)) }
  }

  @Test("R6: an interceptor that is notified of the ends at a release may send, and that action ends with the rest")
  func sendingAtTheRelease() async throws {
    let (gate, context, kinds) = (Gate(), Box<InterceptionContext<Counting.Action>?>(nil), Notes<String>())
    var store: Store<Counting>? = Store(initial: Counting.State(), interactor: Counting())
    store?.setInterceptors([
      Choosing<Counting> { _, given in
        context.value = given
        return .pass
      },
      Ended { cause, outcome in
        kinds.note("\(cause.action) \(outcome.kind)")
        if case .run = cause.action { context.value?.send(.add(1)) }
      },
    ])
    let receipt = store?.send(.run { try? await gate.enter() })
    try await gate.waitForArrivals()
    weak let released = store
    store = nil
    #expect(released == nil)
    #expect(await receipt?.outcome.kind == .shutDown)
    #expect(kinds.all == ["run shutDown", "add(1) shutDown"])
    context.value = nil
  }
}

/// Implements every hook.
private struct Hooked: Interceptor {
  typealias I = Counting
  typealias Hook = InterceptorReentrancyTests.Hook

  let tell: @Sendable (Hook, Counting.Action) -> Void

  func accepted(_ cause: Cause<Counting.Action>) { tell(.accepted, cause.action) }

  func committed(
    _ mutation: Counting.Mutation, revision: Int, cause: Cause<Counting.Action>, state: borrowing Counting.State
  ) {
    tell(.committed, cause.action)
  }

  func ended(_ cause: Cause<Counting.Action>, outcome: Outcome) { tell(.ended, cause.action) }
}

/// Implements `ended`.
private struct Ended: Interceptor {
  typealias I = Counting

  let tell: @Sendable (Cause<Counting.Action>, Outcome) -> Void

  func ended(_ cause: Cause<Counting.Action>, outcome: Outcome) { tell(cause, outcome) }
}

/// Notes the revisions of a store.
private struct Revisions: Interceptor {
  typealias I = ClosureInteractor

  let tell: @Sendable (Int) -> Void

  func committed(
    _ mutation: @escaping ClosureInteractor.Mutation, revision: Int, cause: Cause<ClosureInteractor.Action>,
    state: borrowing ClosureInteractor.State
  ) {
    tell(revision)
  }
}

/// Keeps its contexts.
private final class Keeping: Interceptor {
  typealias I = Counting

  let contexts = Notes<InterceptionContext<Counting.Action>>()

  func intercept(
    _ action: Counting.Action, context: InterceptionContext<Counting.Action>
  ) -> Interception<Counting.Action> {
    contexts.note(context)
    return .pass
  }
}
