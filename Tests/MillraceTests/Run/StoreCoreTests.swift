import MillraceTesting
import Testing

@testable import Millrace

@Suite("StoreCore", .timeLimit(.minutes(1)))
struct StoreCoreTests {
  let store = Store()

  /// The ends that an action can have, each brought about on a store of its own.
  enum End: CaseIterable {
    case decided, ignored, handled, decidedThenHandled, failed, cancelled, cancelledTogether, decidedAgainst, notHandled
    case sentAfterShutdown, shutDown

    var kind: Outcome.Kind {
      switch self {
      case .decided, .ignored, .handled, .decidedThenHandled: .finished
      case .failed: .failed
      case .cancelled, .cancelledTogether: .cancelled
      case .decidedAgainst, .notHandled, .sentAfterShutdown: .rejected
      case .shutDown: .shutDown
      }
    }

    /// Whether the action is taken up and ends otherwise than by finishing.
    var isClosed: Bool { kind != .finished && self != .sentAfterShutdown }

    var action: ScriptedInteractor.Action {
      let action: ScriptedInteractor.Action =
        switch self {
        case .decided: .commit("decided")
        case .ignored: .decide { _ in .ignore }
        case .handled: .handle { $0.emit("handled") }
        case .decidedThenHandled:
          ScriptedInteractor.Action(
            decide: { _ in .mutate("decided", thenHandle: true) }, handle: { run, _ in run.emit("handled") })
        case .failed: .handle { _ in throw Mishap() }
        case .decidedAgainst: .decide { _ in .reject(Mishap()) }
        case .notHandled: .handle { _ in throw NotHandled() }
        case .cancelled, .cancelledTogether, .shutDown, .sentAfterShutdown:
          .handle { _ in try await Gate().enter() }
        }
      return action
    }

    /// Does to the store what this end takes, before and after the action is sent.
    func send(_ action: ScriptedInteractor.Action, to store: Store<ScriptedInteractor>) async -> Receipt {
      if self == .sentAfterShutdown { await store.shutdown() }
      let receipt = store.send(action)
      switch self {
      case .cancelled: receipt.cancel()
      case .cancelledTogether: store.cancelAll()
      case .shutDown: await store.shutdown()
      default: break
      }
      return receipt
    }
  }

  @Test(
    "R1: every action ends in one outcome, which its receipt gives as often as it is asked", arguments: End.allCases)
  func everyActionHasOneOutcome(end: End) async {
    let receipt = await end.send(end.action, to: store)
    #expect(await receipt.outcome.kind == end.kind)
    receipt.cancel()
    store.cancelAll()
    await store.shutdown()
    #expect(await receipt.outcome.kind == end.kind)
  }

  @Test(
    "R1: an outcome reaches all who waited for it before it was there", arguments: [End.handled, .failed, .cancelled])
  func everybodyWhoWaitsGetsTheOutcome(end: End) async throws {
    let gate = Gate()
    var action = end.action
    let handle = action.handle
    action.handle = { run, state in
      try await gate.enter()
      try await handle(run, state)
    }
    let receipt = store.send(action)
    let waiting = (0..<3).map { _ in Task.immediate { await receipt.outcome.kind } }
    if end == .cancelled { receipt.cancel() }
    gate.open()
    for task in waiting { #expect(await task.value == end.kind) }
  }

  @Test("R1: the rejections say why")
  func rejectionsSayWhy() async {
    if case .rejected(.decided(let error)) = await store.send(End.decidedAgainst.action).outcome {
      #expect(error as? Mishap == Mishap())
    } else {
      Issue.record("The action was not rejected as decided")
    }
    guard case .rejected(.notHandled) = await store.send(End.notHandled.action).outcome else {
      Issue.record("The action was not rejected as not handled")
      return
    }
    await store.shutdown()
    guard case .rejected(.shuttingDown) = await store.send(.commit("late")).outcome else {
      Issue.record("The action was not rejected as shutting down")
      return
    }
    #expect(await store.log == [])
  }

  @Test(
    "R1: an action that was queued behind another thread's step when the store shut down ends as shut down, one sent after is rejected"
  )
  func leftActionsEndAtShutdown() async throws {
    let left = Box<[Receipt]>([])
    store.send(
      .commit(
        ScriptedInteractor.Mutation("a") { [store] in
          left.update {
            $0 = [store.send(.commit("left")), store.send(ScriptedInteractor.Action.handle { _ in }.closed())]
          }
          store.core.beginShutdown(drainFor: .zero)
          left.update { $0.append(store.send(.commit("left as well"))) }
        }))
    let late = store.send(.commit("late"))
    #expect(await kinds(left.value) == [.shutDown, .shutDown, .shutDown])
    #expect(await late.outcome.kind == .rejected)
    #expect(await store.log == ["a"])
  }

  @Test("R1: each action of a batch has one outcome, in the order of the batch")
  func everyActionOfABatchHasOneOutcome() async throws {
    let ends: [End] = [.decided, .failed, .ignored, .decidedAgainst, .handled, .cancelled, .decided]
    let batch = store.send(contentsOf: ends.map(\.action))
    store.cancelAll()
    #expect(await batch.outcomes.map(\.kind) == ends.map(\.kind))
    await store.shutdown()
    #expect(await store.send(contentsOf: ends.map(\.action)).outcomes.map(\.kind) == ends.map { _ in .rejected })
  }

  @Test(
    "R2: closing is asked once with the outcome of whatever was taken up and did not finish", arguments: End.allCases)
  func closingIsAskedOnce(end: End) async {
    let asked = Recorder<Outcome.Kind>()
    var action = end.action
    action.close = {
      asked.record($0.kind)
      return ScriptedInteractor.Mutation("closed: \($0.kind)")
    }
    let receipt = await end.send(action, to: store)
    _ = await receipt.outcome
    // The closing mutation is committed before the outcome is visible.
    #expect(await store.log.filter { $0.hasPrefix("closed") } == (end.isClosed ? ["closed: \(end.kind)"] : []))
    receipt.cancel()
    store.cancelAll()
    await store.shutdown()
    #expect(asked.recorded == (end.isClosed ? [end.kind] : []))
  }

  @Test("R2: the closing mutation is the last thing of its action")
  func theClosingMutationIsTheLast() async {
    let receipt = store.send(
      ScriptedInteractor.Action.handle { run in
        run.emit("a")
        run.emit("b")
        throw Mishap()
      }.closed())
    _ = await receipt.outcome
    #expect(await store.log == ["a", "b", "closed: failed"])
    #expect(await receipt.firstCommit == 1)
    #expect(await receipt.lastRevision == 3)
  }

  @Test("R2: a decided rejection is closed in the same step, before an action that decide sent")
  func aRejectionIsClosedInTheSameStep() async {
    store.send(
      ScriptedInteractor.Action.decide { [store] _ in
        store.send(.commit("sent from decide"))
        return .reject(Mishap())
      }.closed())
    #expect(await store.log == ["closed: rejected", "sent from decide"])
  }

  @Test("R2: no reader sees an outcome without its closing mutation, on any thread that cancels the action")
  func noOutcomeIsSeenBeforeItsClosing() async {
    let missing = await withTaskGroup(of: Int.self) { group in
      for task in 0..<4 {
        group.addTask {
          var missing = 0
          for action in 0..<100 {
            let name = "\(task).\(action)"
            let isTakenUp = Box(false)
            var action = ScriptedInteractor.Action.handle { _ in try await Gate().enter() }.closed(as: name)
            action.decide = { _ in
              isTakenUp.value = true
              return .handle
            }
            let receipt = store.send(action)
            onThread { receipt.cancel() }
            _ = await receipt.outcome
            if await store.log.contains("\(name): cancelled") != isTakenUp.value { missing += 1 }
          }
          return missing
        }
      }
      return await group.reduce(0, +)
    }
    #expect(missing == 0)
  }

  @Test("R2: an action that was not taken up is not closed: it has changed nothing")
  func anActionThatWasNotTakenUpIsNotClosed() async {
    let left = Box<Receipt?>(nil)
    store.send(
      .commit(
        ScriptedInteractor.Mutation("a") { [store] in
          left.value = store.send(ScriptedInteractor.Action.commit("left").closed())
          left.value?.cancel()
        }))
    #expect(await left.value?.outcome.kind == .cancelled)
    #expect(await store.log == ["a"])
    #expect(await left.value?.lastRevision == nil)
  }
}

/// The kinds of the outcomes of these receipts.
func kinds(_ receipts: [Receipt]) async -> [Outcome.Kind] {
  var kinds: [Outcome.Kind] = []
  for receipt in receipts { kinds.append(await receipt.outcome.kind) }
  return kinds
}
