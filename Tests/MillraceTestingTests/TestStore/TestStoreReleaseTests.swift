import Millrace
import Testing

@testable import MillraceTesting

@Suite("A test store that is released", .timeLimit(.minutes(1)))
struct TestStoreReleaseTests {
  let collected = Collected()

  @Test("A store that is released without finish fails where it was made")
  func released() async throws {
    let gate = Gate()
    let fetch: @Sendable () async throws -> [String] = {
      try await gate.enter()
      return []
    }
    var store: TestStore? = collected.store(Records(fetch: fetch))
    await store?.send(.refresh, file: "Tests/Some.swift", line: 41)
    store = nil
    #expect(
      collected.messages == [
        """
        1: This test store was released without finish(), so what its handlers did to the end was not checked.
        Not received:
          loading, revision 1, of refresh
        Open:
          refresh, sent at Some.swift:41, 1 mutation so far
        Call await store.finish() at the end of the test.
        """
      ])
  }

  @Test("A mutation that is decided of another sender's action, and not received, fails too", arguments: [false, true])
  func decidedOfAnotherSender(afterFinish: Bool) async {
    var store: TestStore? = collected.store()
    if afterFinish { await store?.finish() }
    store?.store.send(.note)
    store?.store.send(.clear)
    store = nil
    #expect(
      collected.messages == [
        """
        1: This test store was released without finish(), so what its handlers did to the end was not checked.
        Not received:
          noted, revision 1, of note
          renamed(""), revision 2, of clear
          cleared, revision 3, of clear
        Call await store.finish() at the end of the test.
        """
      ])
  }

  @Test("A store all of whose mutations were asserted, and that had nothing to wait for, is released without a failure")
  func assertedAll() async {
    var store: TestStore? = collected.store()
    await store?.send(.rename("a")) { $0.name = "a" }
    store?.store.send(.note)
    await store?.receive(.noted)
    store = nil
    #expect(collected.messages == [])
  }
}
