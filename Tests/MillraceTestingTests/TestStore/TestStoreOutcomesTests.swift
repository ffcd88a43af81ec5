import Millrace
import Testing

@testable import MillraceTesting

@Suite("TestStore, rejections and cancelling", .timeLimit(.minutes(1)))
struct TestStoreOutcomesTests {
  let collected = Collected()
  let gate = Gate()

  /// A store with room for one handler, which stops at the gate.
  private func narrow(waiting: Int = 0, onOverflow: StoreConfiguration.Overflow = .reject) -> TestStore<Records> {
    collected.store(
      Records(fetch: { [gate] in
        try await gate.enter()
        return []
      }), limits: .init(runsInFlight: 1, actionsWaiting: waiting, onOverflow: onOverflow))
  }

  /// Cancels all that is open, with the closings that follow.
  private func end(_ store: TestStore<Records>) async {
    store.exhaustivity = .off
    store.cancelAll()
    await store.finish()
  }

  @Test("An action for which there is no room is rejected, and nothing fails")
  func full() async {
    let store = narrow()
    await store.send(.announce)
    await store.expect(.announce, rejectedAs: .full)
    #expect(collected.messages == [])
    await end(store)
  }

  @Test("A decided rejection is asserted with the change of its closing mutation")
  func decided() async {
    let store = collected.store()
    await store.expect(.deny, rejectedAs: .decided) { $0.failure = "rejected" }
    #expect(collected.messages == [])
    await store.expect(.deny, rejectedAs: .decided, line: 7) { $0.failure = "other" }
    #expect(
      collected.messages == [
        """
        7: deny did not change the state, and the test expects that it does:
          failure: "rejected" → "other"
        Remove the change from the test, or make it in reduce.
        """
      ])
    await store.finish()
  }

  @Test("The outcome that an action had instead is named, once, at the line of the call")
  func otherOutcome() async {
    let store = collected.store()
    await store.expect(.rename("x"), rejectedAs: .full, line: 42)
    await store.expect(.deny, rejectedAs: .full, line: 43)
    #expect(
      collected.messages == [
        """
        42: rename("x") was expected to be rejected as full, but its outcome is finished (finished). Bring about that \
        rejection before the action is sent, or expect finished.
        """,
        """
        43: deny was expected to be rejected as full, but it was rejected as decided: \(Rejection.decided(Records.Denied())) \
        Expect decided, or mend what rejected it so.
        """,
      ])
    #expect(store.state.name == "x")
    await store.finish()
  }

  @Test("An action that was accepted and has no outcome is a failure, and stays open")
  func accepted() async throws {
    let store = narrow()
    let line: UInt = #line + 1
    await store.expect(.announce, rejectedAs: .full)
    #expect(
      collected.messages == [
        """
        \(line): announce was expected to be rejected as full, but it was accepted and has no outcome yet. Bring about that \
        rejection before the action is sent, or send it and expect its outcome.
        """
      ])
    #expect(await store.store.metrics.inFlight == 1)
    await end(store)
  }

  @Test("A wait for a rejection that comes later ends with it, or fails with the outcome that came")
  func later() async {
    let store = narrow(waiting: 1, onOverflow: .dropOldest)
    let running = await store.send(.announce)
    let waiting = await store.send(.announce)
    await store.send(.announce) { $0.failure = "rejected" }
    await store.expect(waiting, rejectedAs: .full)
    running.cancel()
    await store.expect(running, rejectedAs: .full, line: 9)
    #expect(
      collected.messages == [
        """
        9: The action was expected to be rejected as full, but its outcome is cancelled (cancelled). Bring about that \
        rejection before the action is sent, or expect cancelled.
        """
      ])
    await end(store)
  }

  @Test("The cancelling of a key ends the actions of that key, whose closings are received")
  func cancelKey() async {
    let store = narrow(waiting: 1)
    let look = await store.send(.look(for: "x")) { $0.query = "x" }
    let reload = await store.send(.refresh)
    store.cancel(key: "other")
    store.cancel(key: "look")
    await store.receive(.failure("cancelled")) { $0.failure = "cancelled" }
    await store.expect(look, endsWith: .cancelled)
    await store.receive(.loading) { $0.isLoading = true }
    store.cancelAll()
    await store.receive(.failure("cancelled")) { $0.isLoading = false }
    await store.expect(reload, endsWith: .cancelled)
    await store.finish()
    #expect(collected.messages == [])
  }
}
