import MillraceTesting
import Testing

@testable import Millrace

@Suite("LoggingInterceptor", .timeLimit(.minutes(1)))
struct LoggingInterceptorTests {
  typealias Logging = LoggingInterceptor<KitchenInteractor>

  let clock = TestClock()
  let lines = Notes<String>()

  func logging(payloads: Bool = false, differences: Bool = false) -> Logging {
    Logging(payloads: payloads, differences: differences, clock: clock) { [lines] in lines.note($0) }
  }

  func makeStore(_ chain: KitchenInteractor.Chain) -> Store<KitchenInteractor> {
    Store(initial: KitchenInteractor.State(), interactor: KitchenInteractor(), interceptors: chain)
  }

  @Test("An action has a line when it is accepted, one for each commit, and one with the time when it has ended")
  func decided() async throws {
    let store = makeStore([logging()])
    let receipt = store.send(.serve("soup"))
    #expect(await receipt.outcome.isFinished)
    let run = "\(receipt.id)@\(store.number)"
    #expect(
      lines.all == [
        "accepted serve (\(run))", "committed 1: served, by serve (\(run))", "finished serve (\(run)) after 0 ns",
      ])
  }

  @Test("The time is that since acceptance on the given clock; what a handler sends is told with its run")
  func handled() async throws {
    let store = makeStore([logging()])
    let gate = Gate()
    let sent = Recorder<ActionID>()
    let receipt = store.send(
      .cook { [store] run in
        run.emit(.served("soup"))
        await gate.enterIgnoringCancellation()
        sent.record(store.send(.serve("pie")).id)
      })
    try await gate.waitForArrivals(1)
    clock.advance(by: .milliseconds(1_500))
    gate.open()
    #expect(await receipt.outcome.isFinished)
    let (outer, inner) = ("\(receipt.id)@\(store.number)", "\(try await sent.next())@\(store.number)")
    #expect(
      lines.all == [
        "accepted cook (\(outer))",
        "committed 1: served, by cook (\(outer))",
        "accepted serve (\(inner)), sent by \(outer)",
        "committed 2: served, by serve (\(inner)), sent by \(outer)",
        "finished serve (\(inner)) after 0 ns",
        "finished cook (\(outer)) after 1.5 s",
      ])
  }

  @Test("Errors and reasons are told by their types and kinds; what was never accepted has its end alone")
  func unusual() async throws {
    let store = makeStore([Refusing(dish: "pie"), logging()])
    let receipts = [store.send(.cook { _ in throw Mishap() }), store.send(.refuse), store.send(.serve("pie"))]
    for receipt in receipts { _ = await receipt.outcome }
    let runs = receipts.map { "\($0.id)@\(store.number)" }
    #expect(
      lines.all.filter { $0.contains(runs[0]) } == [
        "accepted cook (\(runs[0]))", "committed 1: soiled, by cook (\(runs[0]))",
        "failed with Mishap: cook (\(runs[0])) after 0 ns",
      ])
    #expect(
      lines.all.filter { $0.contains(runs[1]) } == [
        "accepted refuse (\(runs[1]))", "rejected as decided: refuse (\(runs[1])) after 0 ns",
      ])
    #expect(lines.all.filter { $0.contains(runs[2]) } == ["rejected as intercepted: serve (\(runs[2]))"])
    #expect(!lines.all.contains { $0.contains("mishap") || $0.contains("pie") })
  }

  @Test("Payloads, errors and reasons are shown when they are asked for")
  func payloads() async throws {
    let store = makeStore([Refusing(dish: "pie"), logging(payloads: true)])
    let receipts = [store.send(.serve("soup")), store.send(.refuse), store.send(.serve("pie"))]
    for receipt in receipts { _ = await receipt.outcome }
    let runs = receipts.map { "\($0.id)@\(store.number)" }
    #expect(
      lines.all == [
        "accepted serve(\"soup\") (\(runs[0]))",
        "committed 1: served(\"soup\"), by serve(\"soup\") (\(runs[0]))",
        "finished serve(\"soup\") (\(runs[0])) after 0 ns",
        "accepted refuse (\(runs[1]))",
        "rejected: The interactor decided against the action: a mishap: refuse (\(runs[1])) after 0 ns",
        "rejected: An interceptor rejected the action: no pie today: serve(\"pie\") (\(runs[2]))",
      ])
  }

  @Test("A payload is shortened to 200 characters")
  func longPayload() async throws {
    let store = makeStore([logging(payloads: true)])
    _ = await store.send(.serve(String(repeating: "x", count: 1_000))).outcome
    let text = "serve(\"" + String(repeating: "x", count: 193) + "…"
    #expect(lines.all.first?.hasPrefix("accepted \(text) (") == true)
  }

  @Test(
    "Differences are lines after the commit's, but for the first, or the first after one unseen")
  func differences() async throws {
    let logging = logging(differences: true)
    let store = makeStore([logging])
    let unseen = "  the state before was not seen; differences begin with the next commit"
    for dish in ["soup", "pie"] { _ = await store.send(.serve(dish)).outcome }
    _ = await store.send(.cook { _ in throw Mishap() }).outcome
    store.setInterceptors([])
    _ = await store.send(.serve("tea")).outcome
    store.setInterceptors([logging])
    for dish in ["jam", "ale"] { _ = await store.send(.serve(dish)).outcome }
    let shown = lines.all.filter { $0.hasPrefix(" ") || $0.hasPrefix("committed") }.map { $0.prefix { $0 != "," } }
    #expect(
      shown == [
        "committed 1: served", unseen.prefix { $0 != "," }, "committed 2: served", "  dishes[1]: added \"pie\"",
        "committed 3: soiled", "  isClean: true → false", "committed 5: served", unseen.prefix { $0 != "," },
        "committed 6: served", "  dishes[4]: added \"ale\"",
      ])
  }

  @Test(
    "R5: nothing is remembered of an action that has ended: by itself, a shutdown, or a release")
  func pruned() async throws {
    let logging = logging()
    var store: Store<KitchenInteractor>? = makeStore([logging])
    for number in 0..<1_000 { store?.send(.serve("\(number)")) }
    #expect(logging.openCount == 0)
    let gate = Gate()
    let stuck = try #require(store?.send(.cook { _ in await gate.enterIgnoringCancellation() }))
    try await gate.waitForArrivals(1)
    #expect(logging.openCount == 1)
    await store?.shutdown()
    #expect(await stuck.outcome.kind == .shutDown)
    #expect(logging.openCount == 0)
    store = makeStore([logging])
    let released = try #require(store?.send(.cook { _ in await gate.enterIgnoringCancellation() }))
    #expect(logging.openCount == 1)
    store = nil
    #expect(await released.outcome.kind == .shutDown)
    #expect(logging.openCount == 0)
    gate.open()
  }
}

extension Store {
  /// The store's number in its runs' ids, once it is numbered.
  nonisolated var number: Int { core.performNow { [core] _ in core.makeServices().store } ?? 0 }
}
