import Millrace
import MillraceInspector
import MillraceTesting
import Testing

@testable import MillraceTop

@Suite("millrace top, its state", .timeLimit(.minutes(1)))
struct TopTests {
  private let runs = [
    ShownRun.sample("orders", id: "3", age: 40, stuck: true, plan: "Charge"),
    .sample("orders", id: "1", age: 90, attempt: 2), .sample("carts", id: "2", age: nil, attempt: 2, deaths: 1),
  ]

  private func state(_ keys: String, _ change: (inout TopState) -> Void = { _ in }) -> TopState {
    var state = TopState()
    state.document = RunsDocument(runs: runs, unanswered: [])
    for letter in keys { state.press(letter == "\n" ? .enter : letter == "\t" ? .escape : .letter(letter)) }
    change(&state)
    return state
  }

  @Test(
    "s leads through the orders and back: the inspector's, by age, by store, by attempts",
    arguments: [("", "312"), ("s", "132"), ("ss", "231"), ("sss", "213"), ("ssss", "312")])
  func order(keys: String, ids: String) {
    #expect(state(keys).runs.map(\.id).joined() == ids)
  }

  @Test(
    "A filter leaves the runs with its text in a field, while it is typed and then; Escape ends it",
    arguments: [
      ("/ORD", "31", true), ("/charge\n", "3", false), ("/stuck\n", "3", false), ("/q", "", true),
      ("/ord\t", "312", false),
      ("/ord\n\t", "312", false), ("/ord\ns", "13", false), ("/reads\n", "312", false),
    ])
  func filter(keys: String, ids: String, isTyping: Bool) {
    let state = state(keys)
    #expect(state.runs.map(\.id).joined() == ids)
    #expect(state.isTyping == isTyping && !state.isOver)
  }

  @Test("q asks for the end, and Backspace removes the last letter of the filter")
  func keys() {
    #expect(state("q").isOver)
    #expect(state("/ab") { $0.press(.backspace) }.filter == "a")
    #expect(state("x").runs.count == 3)
  }

  @Test("The runs are asked for again and again; a failure is shown beside the last list, until there is a newer one")
  func watch() async throws {
    let (clock, gateway) = (TestClock(), FakeRuns())
    let store = Store(
      initial: TopState(), interactor: Top(gateway, every: .seconds(2), clock: clock),
      configuration: StoreConfiguration(clock: clock))
    gateway.answers.withLock { $0 = [.success(runs), .failure(RunsFailure("It is away.")), .success([])] }
    store.send(.watch)
    for (count, failure) in [(3, nil), (3, RunsFailure("It is away.")), (0, nil)] as [(Int, RunsFailure?)] {
      try await clock.waitForSleepers()
      let state = await store.state
      #expect(state.document?.runs.count == count && state.failure == failure)
      clock.advance(by: .seconds(2))
    }
    await store.shutdown(drainFor: .zero)
  }

  @Test(
    "A terminal's bytes are keys; an arrow is none",
    arguments: [
      ([0x71], [.letter("q")]), ([0x1B], [.escape]), ([0x1B, 0x5B, 0x41], []), ([0x0D], [.enter]), ([0x0A], [.enter]),
      ([0x7F], [.backspace]), ([0x08], [.backspace]), ([0xC3, 0xA4, 0x2F], [.letter("ä"), .letter("/")]), ([0x01], []),
    ] as [([UInt8], [Key])])
  func bytes(bytes: [UInt8], keys: [Key]) {
    #expect(Key.keys(bytes) == keys)
  }
}

/// Runs that a test answers with, the last one again and again.
private final class FakeRuns: RunsGateway {
  let answers = Lock<[Result<[ShownRun], RunsFailure>]>([])

  func runs() async throws -> RunsDocument {
    let answer = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    return RunsDocument(runs: try answer.get(), unanswered: [])
  }
}
