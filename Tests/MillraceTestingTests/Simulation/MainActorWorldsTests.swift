import Foundation
import Testing

@testable import MillraceTesting

@Suite("MainActorWorlds")
struct MainActorWorldsTests {
  @Test("A world that uses the main actor keeps it until it leaves, and the next one gets it then")
  func turns() async throws {
    let worlds = MainActorWorlds()
    let (first, second) = (WorldRuntime(patience: 0), WorldRuntime(patience: 0))
    let events = Recorder<String>()
    worlds.enter(first)
    worlds.enter(first)
    worlds.leave(second)
    Thread.detachNewThread {
      worlds.enter(second)
      events.record("the second uses it")
      worlds.leave(second)
      worlds.enter(first)
      events.record("the first uses it again")
    }
    events.record("the first leaves")
    worlds.leave(first)
    #expect(
      try await events.next(3) == ["the first leaves", "the second uses it", "the first uses it again"])
  }
}
