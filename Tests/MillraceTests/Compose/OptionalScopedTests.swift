import MillraceTesting
import Testing

@testable import Millrace

@Suite("Scoped, an optional child", .timeLimit(.minutes(1)))
struct OptionalScopedTests {
  let store = Store.town()

  @Test("A child that is there decides, handles and closes as any other")
  func present() async {
    store.send(.inn(.commit("a")))
    let receipt = store.send(
      .inn(
        ScriptedInteractor.Action.handle { run in
          run.emit(ScriptedInteractor.Mutation("after \(try await run.state.log)"))
          throw Mishap()
        }.closed()))
    #expect(await receipt.outcome.kind == .failed)
    #expect(await store.state.inn?.log == ["a", "after [\"a\"]", "closed: failed"])
  }

  @Test(
    "The commit that removes the child ends its runs as cancelled, and actions for it are rejected until it is there again"
  )
  func removal() async throws {
    let probe = Probe("a")
    let receipt = store.send(.inn(probe.action(.serial(key: "k"))))
    try await probe.waitForStart()
    #expect(await store.bound == (1, 0, true))
    store.send(.inn(isOpen: false))
    #expect(await receipt.outcome.kind == .cancelled)
    #expect(await store.bound == (0, 0, false))
    probe.open()
    #expect(await store.send(.inn(.commit("b"))).rejectionKind == .missingChild)
    store.send(.inn(isOpen: true))
    store.send(.inn(.commit("c")))
    #expect(await store.state.inn?.log == ["c"])
    #expect(await store.log == ["inn a begins", "-inn", "inn a: cancelled", "+inn", "inn c"])
  }

  @Test("A key of the child's plans is called by its place")
  func keys() async throws {
    let (inn, hall) = (Probe("a"), Probe("b"))
    let cancelled = store.send(.inn(inn.action(.serial(key: "k"))))
    let other = store.send(.hall(hall.action(.serial(key: "k"))))
    try await inn.waitForStart()
    try await hall.waitForStart()
    store.cancel(key: Town().inn.key("k"))
    #expect(await cancelled.outcome.kind == .cancelled)
    #expect(await store.metrics.inFlight == 1)
    inn.open()
    hall.open()
    #expect(await other.outcome.kind == .finished)
  }
}
