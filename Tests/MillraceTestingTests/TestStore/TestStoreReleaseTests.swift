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
        1: This test store was released without finish(), so nobody saw what its handlers did to the end.
        Not received:
          loading, revision 1, of refresh
        Open:
          refresh, sent at Some.swift:41, 1 mutation so far
        Call await store.finish() at the end of the test.
        """
      ])
  }
}
