import MillraceTesting
import Testing

@testable import Millrace

@Suite("ComposeScale", .serialized, .timeLimit(.minutes(5)))
struct ComposeScaleTests {
  @Test("R5: after 250,000 children have come and gone with their runs the store is as small as before")
  func registriesArePruned() async throws {
    let store = Store.town()
    let gate = Gate()
    let stays = ScriptedInteractor.Action.handle { _ in try await gate.enter() }.planned(.serial(key: "k"))
    let returns = ScriptedInteractor.Action.handle { $0.emit("a") }.planned(.latest(key: "k"))
    var unexpected = 0  // An expectation a child would take most of the time.
    for id in 10..<10 + scaled(250_000) {
      store.send(.add(id))
      let receipt = store.send(.house(id, id % 2 == 0 ? stays : returns))
      if id % 4 == 1 { _ = await receipt.outcome }
      store.send(.remove(id))
      let outcome = await receipt.outcome.kind
      if id % 2 == 0, outcome != .cancelled { unexpected += 1 }
      if id % 4 == 1, outcome != .finished { unexpected += 1 }
    }
    #expect(unexpected == 0)
    gate.open()
    await store.shutdown(drainFor: .seconds(60))
    #expect(await store.bound == (0, 0, false))
    #expect(await store.keyCount == 0)
    let left = await store.onRuns { ($0?.scheduler.runs.isEmpty, $0?.scheduler.room.count) }
    #expect(left.0 == true && left.1 == 0)
    #expect(await store.state.houses.count == 3)
  }
}
