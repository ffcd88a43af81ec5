import Millrace
import Testing

@testable import MillraceTesting

@Suite("TestStore, its failures", .timeLimit(.minutes(1)))
struct TestStoreFailureTests {
  let collected = Collected()

  @Test("A change that is another than the test says is shown part by part")
  func wrongChange() async {
    let store = collected.store()
    await store.send(.rename("x"), line: 42) { $0.name = "y" }
    #expect(
      collected.messages == [
        """
        42: rename("x") led to another state than the test expects:
          name: "y" → "x"
        Expected is left of an arrow, the store's right. Change the closure of send, or what the interactor commits and reduces.
        """
      ])
  }

  @Test("A failure is shown at the line of the call")
  func callersLine() async {
    let store = collected.store()
    let line: UInt = #line + 1
    await store.send(.rename("x"))
    #expect(collected.failures.lines == [line])
    #expect(collected.failures.files.allSatisfy { $0.hasSuffix("TestStoreFailureTests.swift") })
  }

  @Test("A change that the test does not say is shown, in send and in receive")
  func unsaidChange() async {
    let store = collected.store()
    await store.send(.reload, line: 1)
    await store.receive(.loaded(["a"]), line: 2)
    await store.finish()
    #expect(
      collected.messages == [
        """
        1: reload changed the state, and the test does not say so:
          isLoading: false → true
        Give send a closure that makes this change.
        """,
        """
        2: loaded(["a"]) changed the state, and the test does not say so:
          isLoading: true → false
          records[0]: added "a"
        Give receive a closure that makes this change.
        """,
      ])
  }

  @Test("A change that did not come is shown, in send and in receive")
  func missingChange() async {
    let store = collected.store()
    await store.send(.refresh, line: 1) { $0.isLoading = true }
    await store.receive(.loading) { $0.isLoading = true }
    await store.receive(.loaded(["a"])) { ($0.isLoading, $0.records) = (false, ["a"]) }
    await store.send(.refresh)
    await store.receive(.loading) { $0.isLoading = true }
    await store.receive(.loaded(["a"])) { $0.isLoading = false }
    await store.send(.refresh)
    await store.receive("anything", where: { _ in true }) { $0.isLoading = true }
    await store.receive(.loaded(["a"])) { $0.isLoading = false }
    await store.send(.note, line: 2) { $0.name = "x" }
    await store.finish()
    #expect(
      collected.messages == [
        """
        1: refresh did not change the state, and the test expects that it does:
          isLoading: false → true
        What a handler commits is received, not part of send: move the change there, or change what decide commits.
        """,
        """
        2: note did not change the state, and the test expects that it does:
          name: "" → "x"
        What a handler commits is received, not part of send: move the change there, or change what decide commits.
        """,
      ])
  }

  @Test("A mutation that does not change the state as the test says is shown")
  func receiveWithoutChange() async {
    let store = collected.store(Records(fetch: { [] }))
    await store.send(.look(for: "x")) { $0.query = "x" }
    await store.receive(.loaded([]), line: 3) { $0.records = ["a"] }
    await store.finish()
    #expect(
      collected.messages == [
        """
        3: loaded([]) did not change the state, and the test expects that it does:
          records[0]: added "a"
        Remove the change from the test, or make it in reduce.
        """
      ])
  }

  @Test("Another mutation than the test wants is shown; of the same case, what differs")
  func otherMutation() async {
    let store = collected.store()
    await store.send(.refresh)
    await store.receive(.loaded(["a"]), line: 1)
    await store.receive(.loaded(["b"]), line: 2)
    await store.send(.refresh)
    await store.receive("a failure", where: { if case .failure = $0 { true } else { false } }, line: 3)
    await store.receive(.loaded(["a"])) { $0.isLoading = false }
    await store.finish()
    #expect(
      collected.messages == [
        """
        1: The next mutation is loading, revision 1, of refresh, not loaded(["a"]). Receive it before that one, or change what \
        the interactor commits.
        """,
        """
        2: The next mutation is loaded(["a"]), revision 2, of refresh, not loaded(["b"]):
          loaded[0]: "b" → "a"
        Expected is left of an arrow, the store's right. Change the mutation in receive, or what the handler emits.
        """,
        """
        3: The next mutation is loading, revision 3, of refresh, not a failure. Receive it before that one, or change what the \
        interactor commits.
        """,
      ])
  }

  @Test("Mutations not received before a send and at the end are listed")
  func unreceived() async {
    let store = collected.store()
    let first = await store.send(.refresh)
    await store.expect(first, endsWith: .finished)
    let second = await store.send(.refresh, line: 1)
    await store.expect(second, endsWith: .finished)
    await store.finish(line: 2)
    #expect(
      collected.messages == [
        """
        1: The test sent refresh before it received all that was committed:
          loading, revision 1, of refresh
          loaded(["a"]), revision 2, of refresh
        Receive each of these before that send, or make the store with exhaustivity: .off.
        """,
        """
        2: The test did not receive all that was committed:
          loading, revision 3, of refresh
          loaded(["a"]), revision 4, of refresh
        Receive each of these before finish, or make the store with exhaustivity: .off.
        """,
      ])
  }

  @Test("A list of up to ten is shown whole", arguments: [9, 10, 11])
  func list(count: Int) async {
    let store = collected.store()
    for _ in 0..<count { store.store.send(.note) }
    await store.finish(line: 2)
    let message = collected.messages.first ?? ""
    #expect(message.contains("  noted, revision \(min(count, 10)), of note\n"))
    #expect(message.contains("… and") == (count > 10))
  }

  @Test("A long list is cut")
  func longList() async {
    let store = collected.store()
    for _ in 0..<12 { store.store.send(.note) }
    await store.finish(line: 2)
    let message = collected.messages.first ?? ""
    #expect(
      message.hasSuffix(
        """
          noted, revision 10, of note
          … and 2 more
        Receive each of these before finish, or make the store with exhaustivity: .off.
        """))
  }

  @Test("A mutation that cannot come fails at once, without exhaustivity with what was skipped")
  func quiet() async {
    let store = collected.store()
    await store.receive(.loading, line: 1)
    store.exhaustivity = .off
    await store.send(.refresh)
    await store.receive(.cleared, line: 2)
    #expect(
      collected.messages == [
        """
        1: The test waits for loading, but no action is open, so that nothing will be committed. Send the action that leads to \
        it before, or remove this receive.
        """,
        """
        2: The test waits for cleared, but no action is open, so that nothing will be committed. Skipped so far:
          loading, revision 1, of refresh
          loaded(["a"]), revision 2, of refresh
        Send the action that leads to it before, or remove this receive.
        """,
      ])
  }

  @Test("A wait that takes too long says what is open, and who sleeps on the test clock")
  func late() async throws {
    let clock = TestClock()
    let fetch: @Sendable () async throws -> [String] = {
      try await clock.sleep(for: .seconds(3))
      return ["a"]
    }
    let store = collected.store(Records(fetch: fetch), clock: clock)
    clock.advance(by: .seconds(5))
    let receipt = await store.send(.reload, file: "Tests/Some.swift", line: 41) { $0.isLoading = true }
    try await clock.waitForSleepers(1)
    async let received: Void = store.receive(.loaded(["a"]), line: 42)
    try await bePatient()
    await received
    async let expected: Void = store.expect(receipt, endsWith: .finished, line: 43)
    try await bePatient()
    await expected
    async let finished: Void = store.finish(line: 44)
    try await bePatient()
    await finished
    let open = """
      Open:
        reload, sent at Some.swift:41 when the clock stood at 5.0 seconds, 1 mutation so far
      The test clock stands at 5.0 seconds; 1 task sleeps on it, until 8.0 seconds.
      """
    let fix = """
      Let what they wait for happen before: answer the call of the fake, open the gate, advance the clock. Where it only takes \
      longer, give the store a longer timeout.
      """
    #expect(
      collected.messages == [
        "42: The test waited 10.0 seconds for loaded([\"a\"]). \(open)\n\(fix)",
        "43: The test waited 10.0 seconds for the outcome finished. \(open)\n\(fix)",
        """
        44: The test is at its end, and 10.0 seconds later actions still have no outcome. \(open)
        Bring each to its end before finish: let what it waits for happen, or cancel it by its receipt.
        """,
      ])
  }

  @Test("The number of sleepers on the test clock is told in words", arguments: [0, 2])
  func sleepers(count: Int) async throws {
    let clock = TestClock()
    let gate = Gate()
    let fetch: @Sendable () async throws -> [String] = {
      try await gate.enter()
      return []
    }
    let store = collected.store(Records(fetch: fetch), clock: clock)
    for second in 0..<count {
      Task.immediate { try await clock.sleep(for: .seconds(9 - second)) }
    }
    await store.send(.reload) { $0.isLoading = true }
    async let received: Void = store.receive(.loaded([]))
    try await bePatient()
    await received
    let text = count == 0 ? "no task sleeps on it." : "2 tasks sleep on it, the first until 8.0 seconds."
    #expect(collected.messages.first?.contains("\nThe test clock stands at 0.0 seconds; \(text)\n") == true)
    gate.open()
    await store.receive(.loaded([])) { $0.isLoading = false }
    await store.finish()
    clock.run()
  }

  @Test("An action without an outcome is a failure of finish without exhaustivity too, a mutation is not")
  func openWithoutExhaustivity() async throws {
    let gate = Gate()
    let fetch: @Sendable () async throws -> [String] = {
      try await gate.enter()
      return []
    }
    let store = collected.store(Records(fetch: fetch), exhaustivity: .off)
    await store.send(.refresh, file: "Tests/Some.swift", line: 41)
    async let finished: Void = store.finish(line: 42)
    try await bePatient()
    await finished
    #expect(
      collected.messages == [
        """
        42: The test is at its end, and 10.0 seconds later actions still have no outcome. Open:
          refresh, sent at Some.swift:41, 1 mutation so far
        Bring each to its end before finish: let what it waits for happen, or cancel it by its receipt.
        """
      ])
  }

  @Test("Without a test clock, and of an action that a handler sent, less is said")
  func lateWithoutClock() async throws {
    let gate = Gate()
    let sender = Recorder<@Sendable (Records.Action) -> Void>()
    let send: @Sendable (Records.Action) -> Void = { _ in sender.recorded.first?(.refresh) }
    let fetch: @Sendable () async throws -> [String] = {
      try await gate.enter()
      return []
    }
    let store = collected.store(Records(fetch: fetch, send: send), exhaustivity: .off)
    sender.record { [weak store = store.store] in store?.send($0) }
    await store.send(.chain)
    store.store.send(.look(for: "x"))
    try await gate.waitForArrivals(2)
    async let received: Void = store.receive(.cleared, line: 42)
    try await bePatient()
    await received
    #expect(
      collected.messages == [
        """
        42: The test waited 10.0 seconds for cleared. Skipped so far:
          loading, revision 1, of refresh
          looking("x"), revision 2, of look(for: "x")
        Open:
          refresh, sent by a handler, 1 mutation so far
          look(for: "x"), 1 mutation so far
        Let what they wait for happen before: answer the call of the fake, open the gate, advance the clock. Where it only \
        takes longer, give the store a longer timeout.
        """
      ])
  }

  @Test("A wait ends with its task, as at a time limit")
  func cancelled() async throws {
    let gate = Gate()
    let fetch: @Sendable () async throws -> [String] = {
      try await gate.enter()
      return []
    }
    let store = collected.store(Records(fetch: fetch))
    await store.send(.reload, file: "Tests/Some.swift", line: 41) { $0.isLoading = true }
    let task = Task {
      await store.receive(.loaded([]), line: 42)
      await store.finish(line: 43)
    }
    try await collected.patience.waitForSleepers(1)
    task.cancel()
    await task.value
    let open = "Open:\n  reload, sent at Some.swift:41, 1 mutation so far"
    let fix = "Let what they wait for happen before: answer the call of the fake, open the gate, advance the clock."
    #expect(
      collected.messages == [
        "42: The test was cancelled while it waited for loaded([]). \(open)\n\(fix)",
        "43: The test was cancelled while it waited for the end of all actions. \(open)\n\(fix)",
      ])
  }

  @Test("Another outcome than the test expects is named")
  func outcome() async {
    let store = collected.store()
    let receipt = await store.send(.deny) { $0.failure = "rejected" }
    await store.expect(receipt, endsWith: .finished, line: 42)
    #expect(
      collected.messages == [
        """
        42: The action was expected to end as finished, but its outcome is rejected (rejected: \(Rejection.decided(Records.Denied()))). \
        Expect rejected, or mend what made it end so.
        """
      ])
  }

  /// Ends the wait in progress as too long.
  private func bePatient() async throws {
    try await collected.patience.waitForSleepers(1)
    collected.patience.advance(by: .seconds(10))
  }
}
