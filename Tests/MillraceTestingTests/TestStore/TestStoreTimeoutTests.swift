import Millrace
import Testing

@testable import MillraceTesting

/// A call has one timeout, however many waits it takes.
@Suite("TestStore, its timeouts", .timeLimit(.minutes(1)))
struct TestStoreTimeoutTests {
  let collected = Collected()

  /// Sends an action again when it was cancelled.
  private struct Persisting: Interceptor {
    typealias I = Records

    let sender = Recorder<@Sendable (Records.Action) -> Void>()

    func ended(_ cause: Cause<Records.Action>, outcome: Outcome) {
      if outcome.kind == .cancelled { sender.recorded.first?(cause.action) }
    }
  }

  @Test("finish ends by its timeout where each action that ends leads to another one")
  func neverQuiet() async throws {
    let gate = Gate()
    let fetch: @Sendable () async throws -> [String] = {
      try await gate.enter()
      return []
    }
    let persisting = Persisting()
    let store = collected.store(Records(fetch: fetch), exhaustivity: .off, interceptors: [persisting])
    persisting.sender.record { [weak store = store.store] in store?.send($0) }
    let receipt = await store.send(.reload)
    async let finished: Void = store.finish(line: 42)
    try await collected.patience.waitForSleepers(1)
    collected.patience.advance(by: .seconds(6))
    receipt.cancel()
    collected.patience.advance(by: .seconds(6))
    await finished
    #expect(
      collected.messages == [
        """
        42: The test is at its end, and 10.0 seconds later actions still have no outcome. Open:
          reload, 1 mutation so far
        Bring each to its end before finish: let what it waits for happen, or cancel it by its receipt.
        """
      ])
  }

  @Test("Mutations that are skipped give receive no more time, and are shown with how many they were")
  func skippedWhileWaiting() async throws {
    let gate = Gate()
    let fetch: @Sendable () async throws -> [String] = {
      try await gate.enter()
      return []
    }
    let store = collected.store(Records(fetch: fetch), exhaustivity: .off)
    await store.send(.reload, file: "Tests/Some.swift", line: 41)
    let skipped = Recorder<Records.Mutation>()
    async let received = store.receive(
      "what never comes",
      where: {
        skipped.record($0)
        return false
      }, line: 42)
    try await collected.patience.waitForSleepers(1)
    collected.patience.advance(by: .seconds(6))
    for _ in 0..<12 { store.store.send(.note) }
    _ = try await skipped.next(12)
    collected.patience.advance(by: .seconds(6))
    #expect(await received == nil)
    let shown = (2...11).map { "  noted, revision \($0), of note" }.joined(separator: "\n")
    #expect(
      collected.messages == [
        """
        42: The test waited 10.0 seconds for what never comes. Skipped so far:
        \(shown)
          … and 2 more
        Open:
          reload, sent at Some.swift:41, 1 mutation so far
        Let what they wait for happen before: answer the call of the fake, open the gate, advance the clock. Where it only \
        takes longer, give the store a longer timeout.
        """
      ])
  }

  @Test("receive ends by its timeout where mutations come so fast that it never waits")
  func neverWaits() async {
    let store = collected.store(exhaustivity: .off)
    store.store.send(.note)
    var looks = 0
    let received = await store.receive(
      "what never comes",
      where: { _ in
        looks += 1
        // The end is for a receive that does not look at its time.
        if looks < 100 { store.store.send(.note) }
        collected.patience.advance(by: .seconds(1))
        return false
      }, line: 42)
    #expect(received == nil)
    #expect(looks == 10)
    #expect(
      collected.messages.first?.hasPrefix(
        "42: The test waited 10.0 seconds for what never comes. Skipped so far:\n  noted, revision 1, of note\n")
        == true)
  }
}
