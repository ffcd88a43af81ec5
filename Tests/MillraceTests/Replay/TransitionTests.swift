import MillraceTesting
import Testing

@testable import Millrace

@Suite("Transition", .timeLimit(.minutes(1)))
struct TransitionTests {
  @Test("A transition is described by its revision, mutation and action, without payloads, and with what was missed")
  func description() async throws {
    let store = Store(initial: KitchenInteractor.State(), interactor: KitchenInteractor())
    var transitions = store.transitions(.every(buffer: 2)).makeAsyncIterator()
    let first = store.send(.serve("soup"))
    let transition = try #require(await transitions.next())
    #expect("\(transition)" == "revision 1: served, by serve (\(first.id)@\(store.number))")
    let receipts = (1...9).map { store.send(.serve("\($0)")) }
    let late = try #require(await transitions.next())
    #expect(late.missed > 0)
    let id = receipts[late.revision - 2].id
    #expect(
      "\(late)" == "revision \(late.revision): served, by serve (\(id)@\(store.number)), after \(late.missed) missed")
  }
}
