import MillraceTesting
import Testing

@testable import Millrace

@Suite("TransitionHistory", .timeLimit(.minutes(1)))
struct TransitionHistoryTests {
  typealias History = TransitionHistory<KitchenInteractor>

  let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  func makeStore(_ chain: KitchenInteractor.Chain) -> Store<KitchenInteractor> {
    Store(initial: KitchenInteractor.State(), interactor: KitchenInteractor(), interceptors: chain)
  }

  @Test("A decided action from outside is told with its id, in two lines; payloads when they are asked for")
  func decided() async {
    let history = History()
    let store = makeStore([history])
    let run = "\(store.send(.serve("soup")).id)@\(store.number)"
    #expect(
      history.why(1) == """
        revision 1: served, by serve (\(run))
        sent from outside of any run, without a trace
        """)
    #expect(
      history.why(1, payloads: true) == """
        revision 1: served("soup"), by serve("soup") (\(run))
        sent from outside of any run, without a trace
        """)
  }

  @Test("A chain of three runs is told to its root, with what each committed, and the trace")
  func threeRuns() async throws {
    let history = History()
    let store = makeStore([history])
    let outer = KitchenInteractor.Action.cook { [store] run in
      run.emit(.served("a"))
      run.emit(.soiled)
      let inner = KitchenInteractor.Action.cook { [store] run in
        run.emit(.served("b"))
        _ = await store.send(.serve("c")).outcome
      }
      _ = await store.send(inner).outcome
    }
    _ = await store.send(outer, context: TraceContext(traceparent: header)).outcome
    let runs = history.kept.map(\.cause.context.run)
    try #require(runs.count == 4)
    #expect(
      history.why(4) == """
        revision 4: served, by serve (\(runs[3]))
        sent by the handler of cook (\(runs[2])), which committed served (revision 3)
        sent by the handler of cook (\(runs[0])), which committed served (revision 1), soiled (revision 2)
        sent from outside of any run, in the trace \(header)
        """)
  }

  @Test("A chain through another store tells the run there by its id, and continues with the run that it began with")
  func throughAnotherStore() async throws {
    let history = History()
    let (store, other) = (makeStore([history]), Store<ScriptedInteractor>())
    let between = Recorder<RunContext?>()
    let action = KitchenInteractor.Action.cook { [store] run in
      run.emit(.served("a"))
      let there = ScriptedInteractor.Action.handle { [store] _ in
        between.record(RunContext.current)
        _ = await store.send(.serve("b")).outcome
      }
      _ = await other.send(there).outcome
    }
    _ = await store.send(action, context: TraceContext(traceparent: header)).outcome
    let runs = history.kept.map(\.cause.context.run)
    try #require(runs.count == 2)
    let there = try #require(try await between.next()).run
    #expect(
      history.why(2) == """
        revision 2: served, by serve (\(runs[1]))
        sent by the handler of \(there), a run of another store
        the chain began with cook (\(runs[0])), which committed served (revision 1)
        sent from outside of any run, in the trace \(header)
        """)
  }

  @Test("A trace is told where it was given to an action", arguments: [true, false])
  func ownTrace(isParentKept: Bool) async throws {
    let history = History()
    let (store, other, header) = (makeStore([history]), Store<ScriptedInteractor>(), header)
    let action = KitchenInteractor.Action.cook { [store] run in
      run.emit(.served("a"))
      let own = TraceContext(traceparent: header)
      if isParentKept {
        _ = await store.send(.serve("b"), context: own).outcome
      } else {
        let there = ScriptedInteractor.Action.handle { [store] _ in
          _ = await store.send(.serve("b"), context: own).outcome
        }
        _ = await other.send(there).outcome
      }
    }
    _ = await store.send(action).outcome
    let lines = history.why(2).split(separator: "\n")
    #expect(lines.count == (isParentKept ? 3 : 4))
    #expect(lines[1].hasPrefix("sent in the trace \(header) by the handler of "))
    #expect(lines.last == "sent from outside of any run, without a trace")
  }

  @Test("A parent that committed nothing, or nothing that is kept, is told by its id")
  func unknownParents() async throws {
    let history = History(keeping: 1)
    let store = makeStore([history])
    let runs = Recorder<RunID?>()
    let inner = KitchenInteractor.Action.cook { [store] run in
      runs.record(RunContext.current?.run)
      run.emit(.served("b"))
      _ = await store.send(.serve("c")).outcome
    }
    let outer = KitchenInteractor.Action.cook { [store] _ in
      runs.record(RunContext.current?.run)
      _ = await store.send(inner).outcome
    }
    _ = await store.send(outer).outcome
    let (first, second) = (try #require(try await runs.next()), try #require(try await runs.next()))
    let last = try #require(history[revision: 2]).cause.context.run
    #expect(
      history.why(2) == """
        revision 2: served, by serve (\(last))
        sent by the handler of \(second), of which no commit is kept
        the chain began with \(first), of which no commit is kept
        sent from outside of any run, without a trace
        """)
  }

  @Test("A root of which nothing is kept is told once")
  func unknownRoot() async throws {
    let history = History()
    let store = makeStore([history])
    let outer = KitchenInteractor.Action.cook { [store] _ in _ = await store.send(.serve("a")).outcome }
    let receipt = store.send(outer)
    _ = await receipt.outcome
    let run = try #require(history[revision: 1]).cause.context.run
    #expect(
      history.why(1) == """
        revision 1: served, by serve (\(run))
        sent by the handler of \(receipt.id)@\(store.number), of which no commit is kept
        sent from outside of any run, without a trace
        """)
  }

  @Test("A revision that is not kept says why, and how more are kept")
  func notKept() async {
    let history = History(keeping: 2)
    let store = makeStore([history])
    #expect(history.why(0) == "revision 0 is no commit: the first commit has revision 1")
    #expect(history.why(1) == "revision 1 is not kept: nothing was committed since the store has this history")
    for dish in ["a", "b", "c"] { store.send(.serve(dish)) }
    #expect(
      history.why(1)
        == "revision 1 is not kept any more: of the newest commits 2 are kept, 2 to 3; to keep more, give "
        + "TransitionHistory(keeping:) a larger number")
    #expect(history.why(4) == "revision 4 is not kept: it was not committed yet; the newest that is kept is 3")
  }

  @Test("Commits while the history is not in the chain are missing, and told so")
  func missing() async {
    let history = History()
    let store = makeStore([])
    store.send(.serve("a"))
    store.setInterceptors([history])
    store.send(.serve("b"))
    store.setInterceptors([])
    store.send(.serve("c"))
    store.setInterceptors([history])
    store.send(.serve("d"))
    #expect(history.kept.map(\.revision) == [2, 4])
    for revision in [1, 3] {
      #expect(
        history.why(revision)
          == "revision \(revision) is not kept: it was committed while the store did not have this history")
    }
  }

  @Test("Commits are found by revision, the oldest first, up to the number that was asked for")
  func access() async {
    let history = History(keeping: 3)
    let store = makeStore([history])
    for dish in ["a", "b", "c", "d"] { store.send(.serve(dish)) }
    #expect(history.capacity == 3)
    #expect(history.kept.map(\.revision) == [2, 3, 4])
    #expect(history.kept.map(\.mutation) == [.served("b"), .served("c"), .served("d")])
    #expect(history[revision: 3]?.mutation == .served("c"))
    #expect(history[revision: 1] == nil)
    #expect(History().capacity == 256)
  }

  @Test("A history may be asked from inside the commit it tells of")
  func fromInside() async {
    /// Asks at each commit.
    struct Asking: Interceptor {
      typealias I = KitchenInteractor

      let history: History
      let answers: Notes<String>

      func committed(
        _ mutation: KitchenInteractor.Mutation, revision: Int, cause: Cause<KitchenInteractor.Action>,
        state: borrowing KitchenInteractor.State
      ) {
        answers.note(history.why(revision))
      }
    }
    let (history, answers) = (History(), Notes<String>())
    let store = makeStore([history, Asking(history: history, answers: answers)])
    store.send(.serve("a"))
    #expect(answers.all == [history.why(1)])
    #expect(answers.all.first?.hasPrefix("revision 1: served") == true)
  }

  @Test("Transitions beyond the number kept are released, and the rest with the history")
  func released() async {
    final class Token: Sendable {}
    var history: History? = History(keeping: 1)
    weak var token: Token?
    do {
      let made = Token()
      token = made
      let store = makeStore([history].compactMap(\.self))
      _ = await store.send(
        .cook { run in
          withExtendedLifetime(made) {}
          run.emit(.served("a"))
        }
      ).outcome
      store.setInterceptors([])
    }
    #expect(token != nil)
    history = nil
    #expect(token == nil)
  }
}
