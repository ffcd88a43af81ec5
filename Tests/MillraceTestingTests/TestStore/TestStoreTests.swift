import Millrace
import Testing

@testable import MillraceTesting

@Suite("TestStore", .timeLimit(.minutes(1)))
struct TestStoreTests {
  @Test("A test goes through what is decided and what handlers commit, and nothing fails")
  func exhaustive() async {
    let store = TestStore(initial: Records.State(), interactor: Records())
    await store.send(.rename("x")) { $0.name = "x" }
    await store.send(.note)
    let receipt = await store.send(.reload) { $0.isLoading = true }
    await store.receive(.loaded(["a"])) { ($0.isLoading, $0.records) = (false, ["a"]) }
    await store.expect(receipt, endsWith: .finished)
    await store.send(.clear) { ($0.name, $0.records) = ("", []) }
    let denied = await store.send(.deny) { $0.failure = "rejected" }
    await store.expect(denied, endsWith: .rejected)
    await store.finish()
  }

  @Test("A handler's commits before its first suspension are received, not part of send")
  func handlersFirstPart() async {
    let store = TestStore(initial: Records.State(), interactor: Records())
    await store.send(.refresh)
    await store.receive(.loading) { $0.isLoading = true }
    await store.receive(.loaded(["a"])) { ($0.isLoading, $0.records) = (false, ["a"]) }
    await store.finish()
  }

  @Test("A change is compared with the state after its own mutation, whatever was committed since")
  func stateOfTheMutation() async {
    let store = TestStore(initial: Records.State(), interactor: Records(fetch: { ["a", "b"] }))
    let receipt = await store.send(.refresh)
    await store.expect(receipt, endsWith: .finished)
    #expect(await store.store.state.records == ["a", "b"])
    #expect(store.state == Records.State())
    await store.receive(.loading) { $0.isLoading = true }
    #expect(store.state == Records.State(isLoading: true))
    await store.receive(.loaded(["a", "b"])) { ($0.isLoading, $0.records) = (false, ["a", "b"]) }
    await store.finish()
  }

  @Test("The assertion of send includes the closing of the action that is replaced")
  func replaced() async {
    let gate = Gate()
    let store = TestStore(
      initial: Records.State(),
      interactor: Records(fetch: {
        try await gate.enter()
        return ["a"]
      }))
    let first = await store.send(.look(for: "x")) { $0.query = "x" }
    await store.send(.look(for: "y")) { ($0.query, $0.failure) = ("y", "superseded") }
    await store.expect(first, endsWith: .superseded)
    gate.open()
    await store.receive(.loaded(["a"])) { $0.records = ["a"] }
    await store.finish()
  }

  @Test("An action that a handler sends by its run is received")
  func sentByARun() async throws {
    let gate = Gate()
    let store = TestStore(
      initial: Records.State(),
      interactor: Records(fetch: {
        try await gate.enter()
        return []
      }))
    let receipt = await store.send(.announce)
    try await gate.waitForArrivals()
    gate.open()
    await store.receive(.renamed("announced")) { $0.name = "announced" }
    await store.expect(receipt, endsWith: .finished)
    await store.finish()
  }

  @Test("An action that a handler sends is received, and so is a closing after a cancel")
  func others() async throws {
    let gate = Gate()
    let sender = Recorder<@Sendable (Records.Action) -> Void>()
    let send: @Sendable (Records.Action) -> Void = { action in sender.recorded.first?(action) }
    let fetch: @Sendable () async throws -> [String] = {
      try await gate.enter()
      return []
    }
    let store = TestStore(initial: Records.State(), interactor: Records(fetch: fetch, send: send))
    sender.record { [weak store = store.store] in store?.send($0) }
    await store.send(.chain)
    await store.receive(.renamed("chained")) { $0.name = "chained" }
    let receipt = await store.send(.reload) { $0.isLoading = true }
    try await gate.waitForArrivals()
    receipt.cancel()
    await store.receive(.failure("cancelled")) { ($0.isLoading, $0.failure) = (false, "cancelled") }
    await store.expect(receipt, endsWith: .cancelled)
    await store.finish()
  }

  @Test("receive waits for what comes later, and gives back what met its condition")
  func receiveWaits() async throws {
    let gate = Gate()
    let fetch: @Sendable () async throws -> [String] = {
      try await gate.enter()
      return ["late"]
    }
    let collected = Collected()
    let store = collected.store(Records(fetch: fetch))
    await store.send(.reload) { $0.isLoading = true }
    async let received = store.receive("records") {
      $0 != .loading
    } change: {
      ($0.isLoading, $0.records) = (false, ["late"])
    }
    try await collected.patience.waitForSleepers(1)
    gate.open()
    #expect(await received == .loaded(["late"]))
    await store.finish()
    #expect(collected.messages == [])
  }

  @Test("Without exhaustivity mutations are skipped, and a change asserts what it sets")
  func notExhaustive() async {
    let collected = Collected()
    let store = collected.store(exhaustivity: .off)
    await store.send(.refresh)
    await store.receive(.loaded(["a"])) { $0.records = ["a"] }
    await store.send(.reload)
    await store.send(.rename("x")) { $0.name = "x" }
    await store.finish()
    #expect(collected.messages == [])
    store.exhaustivity = .on
    await store.send(.rename("y")) { $0.name = "y" }
    #expect(collected.messages == [])
  }

  @Test("Interceptors of the test come before; what they send instead is received")
  func interceptors() async {
    struct Renaming: Interceptor {
      typealias I = Records

      func intercept(
        _ action: Records.Action, context: InterceptionContext<Records.Action>
      ) -> Interception<Records.Action> {
        guard case .clear = action else { return .pass }
        context.send(.rename("instead"))
        return .reject("no clearing")
      }
      func committed(
        _ mutation: Records.Mutation, revision: Int, cause: Cause<Records.Action>, state: borrowing Records.State
      ) {}
    }
    let collected = Collected()
    let store = collected.store(interceptors: [Renaming()])
    let receipt = await store.send(.clear)
    await store.expect(receipt, endsWith: .rejected)
    await store.receive(.renamed("instead")) { $0.name = "instead" }
    await store.finish()
    #expect(collected.messages == [])
  }

  @Test("Fakes are asked at the end, with the line of finish")
  func fakes() async {
    struct Fake: FinishChecked {
      let lines = Recorder<UInt>()
      func finish(file: StaticString, line: UInt) async { lines.record(line) }
    }
    let fake = Fake()
    let store = TestStore(initial: Records.State(), interactor: Records(), fakes: [fake])
    await store.finish(line: 7)
    #expect(fake.lines.recorded == [7])
  }

  @Test("A store that decided all is released without finish, and nothing fails")
  func releasedInOrder() async {
    let collected = Collected()
    var store: TestStore? = collected.store()
    await store?.send(.rename("x")) { $0.name = "x" }
    store = nil
    #expect(collected.messages == [])
  }
}
