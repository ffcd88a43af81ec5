import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import MillraceRecording

@Suite("Resimulation", .timeLimit(.minutes(1)))
struct ResimulationTests {
  struct Unreachable: Error {}

  /// The store to which a test lets handlers send.
  final class Target: Sendable {
    private let sender = Lock<Sender<Till.Action>?>(nil)

    func set(_ sender: Sender<Till.Action>?) { self.sender.withLock { $0 = sender } }
    func send(_ action: Till.Action) async { _ = await sender.withLock { $0 }?.send(action).outcome }
  }

  /// Records a store with this price list while `act` sends to it.
  private func record(
    price: @escaping @Sendable (String) async throws -> Int = { $0.count },
    _ act: (Store<Till>) async throws -> Void
  ) async throws -> Recording<Till> {
    let ring = RingRecorder<Till>(initial: Till.State())
    let target = Target()
    let till = Till(price: price, tape: ring.tape, send: { await target.send($0) })
    let store = Store(initial: Till.State(), interactor: till, interceptors: [ring])
    target.set(store.sender)
    try await act(store)
    target.set(nil)
    return try Recording<Till>.read(from: ring.recording.jsonLines())
  }

  /// Resimulates with a till whose gateway cannot be reached.
  private func resimulate(
    _ recording: Recording<Till>, redaction: Redaction<Till> = Redaction<Till>(),
    _ change: (inout Till) -> Void = { _ in }
  ) async -> ResimulationReport<Till.State> {
    let target = Target()
    defer { target.set(nil) }
    return await recording.resimulate(redaction: redaction, patience: .seconds(60), began: { target.set($0.sender) }) {
      tape in
      var till = Till(price: { _ in throw Unreachable() }, tape: tape, send: { await target.send($0) })
      change(&till)
      return till
    }
  }

  @Test(
    "The same program does the same again: decided actions, calls, failures, cancellations, actions that handlers send")
  func same() async throws {
    let gate = Gate()
    let recording = try await record { article in
      if article == "wine" { throw Unreachable() }
      if article == "slow" { try await gate.enter() }
      return article.count
    } _: { store in
      store.send(.add("tea", price: 2))
      _ = await store.send(.look("milk")).outcome
      _ = await store.send(.look("wine")).outcome
      let slow = store.send(.look("slow"))
      try await gate.waitForArrivals(1)
      slow.cancel()
      _ = await store.send(.refuse).outcome
      _ = await store.send(.lookForAll(["bread", "salt"])).outcome
    }
    let report = await resimulate(recording)
    #expect(report.description == "Resimulated 8 actions with 4 recorded replies; 0 differences.")
    #expect(report.isSame)
    #expect(Set(report.state.articles) == ["tea", "milk", "bread", "salt"])
    #expect(report.state.total == 15)
  }

  @Test("A gateway's CancellationError without a cancellation is thrown at once again, and no patience is used")
  func ownCancellation() async throws {
    let recording = try await record { _ in
      throw CancellationError()
    } _: { store in
      for _ in 0..<6 { _ = await store.send(.look("milk")).outcome }
    }
    // With five waits in vain it would be given up.
    let report = await resimulate(recording)
    #expect(report.description == "Resimulated 6 actions with 6 recorded replies; 0 differences.")
    #expect(report.isSame)
    #expect(!report.wasGivenUp)
  }

  @Test("A shutdown, and what it closes, comes when it came, and what was open at the end stays so")
  func shutdown() async throws {
    let gate = Gate()
    let recording = try await record { article in
      if article == "slow" { try await gate.enter() }
      return article.count
    } _: { store in
      store.send(.look("slow"))
      store.send(.look("slow"))
      try await gate.waitForArrivals(2)
      await store.shutdown()
    }
    let report = await resimulate(recording)
    #expect(report.differences.map(\.description) == [])
    #expect(!report.state.isLooking)
    // Without the shutdown.
    let ends = recording.entries.firstIndex { if case .commit(let commit) = $0 { commit.revision == 3 } else { false } }
    let open = Recording<Till>(
      header: recording.header, start: recording.start, entries: Array(recording.entries.prefix(try #require(ends))))
    let cut = await resimulate(open)
    #expect(cut.differences.map(\.description) == [])
    #expect(cut.state.isLooking)
  }

  @Test("Replies come in recorded order, though the calls come in another one")
  func order() async throws {
    let gates = ["a": Gate(), "b": Gate(), "c": Gate()]
    let recording = try await record { article in
      try await gates[article]?.enter()
      return 1
    } _: { store in
      let receipts = ["a", "b", "c"].map { store.send(.look($0)) }
      for (index, article) in ["c", "a", "b"].enumerated() {
        gates[article]?.open()
        _ = await receipts[[2, 0, 1][index]].outcome
      }
    }
    let report = await resimulate(recording)
    #expect(report.isSame)
    #expect(report.state.articles == ["c", "a", "b"])
  }

  /// Looks, and adds a tip to each price.
  struct TippingTill: Interactor {
    typealias Action = Till.Action
    typealias Mutation = Till.Mutation
    typealias State = Till.State

    let tape: GatewayTape

    func decide(_ action: Action, state: State) -> Decision<Mutation> { Till().decide(action, state: state) }

    func handle(_ action: Action, state: State) -> Effect<TippingTill> {
      guard case .look(let article) = action else { return .none }
      return Effect { run in
        let price: Int = try await tape.call("price", article) { throw Unreachable() }
        run.emit(.added(article, price: price + 1))
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) { Till.reduce(into: &state, mutation: mutation) }
  }

  @Test("A handler that commits something else is told, with what differs")
  func mutations() async throws {
    let recording = try await record { store in
      store.send(.add("tea", price: 2))
      _ = await store.send(.look("milk")).outcome
    }
    let report = await recording.resimulate { TippingTill(tape: $0) }
    #expect(report.differences.map(\.kind) == [.mutations])
    #expect(
      plain(report.description) == """
        Resimulated 2 actions with 1 recorded reply; 1 difference.
        - look (#9) committed other mutations than when it was recorded. Recorded → resimulated:
          [1].added.price: 4 → 5
        """)
    #expect(report.state.total == 7)
  }

  /// A text without the numbers of stores.
  private func plain(_ text: String) -> String {
    text.replacing(#/(#\d+)@\d+/#) { "\($0.output.1)" }
  }

  @Test("A call that was not recorded fails, and one that is not made again is told")
  func calls() async throws {
    let recording = try await record { store in _ = await store.send(.look("milk")).outcome }
    struct Curious: Interactor {
      typealias Action = Till.Action
      typealias Mutation = Till.Mutation
      typealias State = Till.State
      let tape: GatewayTape

      func decide(_ action: Action, state: State) -> Decision<Mutation> { Till().decide(action, state: state) }

      func handle(_ action: Action, state: State) -> Effect<Curious> {
        Effect { run in
          let price: Int = try await tape.call("price", "cream") { throw Unreachable() }
          run.emit(.added("cream", price: price))
        }
      }

      func closing(_ action: Action, outcome: Outcome) -> Mutation? { .failed("\(outcome)") }

      static func reduce(into state: inout State, mutation: Mutation) { Till.reduce(into: &state, mutation: mutation) }
    }
    let report = await recording.resimulate { Curious(tape: $0) }
    #expect(report.differences.map(\.kind) == [.unexpectedCall, .unusedReply, .mutations, .outcome])
    #expect(
      report.differences.map { plain($0.description) }.filter { !$0.contains("other mutations") } == [
        #"look (#5) called "price" with "cream", which it did not when it was recorded; the call has failed."#,
        #"look (#5) did not call "price" with "milk" again, so its recorded reply was not used."#,
        "look (#5) ended as failed, and as finished when it was recorded.",
      ])
  }

  @Test("An action that a handler no longer sends is told, and one that it sends in its place")
  func actions() async throws {
    let recording = try await record { store in
      _ = await store.send(.lookForAll(["tea", "milk"])).outcome
    }
    let target = Target()
    defer { target.set(nil) }
    let report = await recording.resimulate(began: { target.set($0.sender) }) { tape in
      Till(tape: tape, send: { action in await target.send(action == .look("milk") ? .welcome("Ada") : action) })
    }
    #expect(
      report.differences.map { plain($0.description) } == [
        "lookForAll (#5) sent welcome, which it did not when it was recorded.",
        #"look (#13) did not call "price" with "milk" again, so its recorded reply was not used."#,
        "look (#13) was not sent again.",
      ])
    #expect(report.differences.map(\.kind) == [.unexpectedAction, .unusedReply, .missingAction])
    #expect(report.state.customer == "Ada")
  }

  @Test("A reply that is of another type than the handler asks for fails the call, with a sentence")
  func unreadable() async throws {
    let recording = try await record { store in _ = await store.send(.look("milk")).outcome }
    let data = String(decoding: try recording.jsonLines(), as: UTF8.self)
      .replacing(#""reply":"4""#, with: #""reply":"\"four\"""#)
    let report = await resimulate(try Recording<Till>.read(from: Data(data.utf8)))
    #expect(report.differences.map(\.kind) == [.unreadableReply, .mutations, .outcome])
    #expect(
      report.differences.first.map { plain($0.description) }
        == #"look (#5) got the recorded reply "four" to "price", which is no Int; the call has failed."#)
  }

  /// Asks for the price of milk, then stands at a gate that no recording knows.
  struct Waiting: Interactor {
    typealias Action = Till.Action
    typealias Mutation = Till.Mutation
    typealias State = Till.State
    let tape: GatewayTape
    let gate: Gate

    func decide(_ action: Action, state: State) -> Decision<Mutation> { Till().decide(action, state: state) }

    func handle(_ action: Action, state: State) -> Effect<Waiting> {
      Effect { run in
        let price: Int = try await tape.call("price", "milk") { throw Unreachable() }
        try await gate.enter()
        run.emit(.added("milk", price: price))
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) { Till.reduce(into: &state, mutation: mutation) }
  }

  @Test("An action that waits for a reply that is not recorded is told once patience is over, and the others continue")
  func stuck() async throws {
    let recording = try await record { store in
      _ = await store.send(.look("milk")).outcome
      store.send(.add("tea", price: 2))
    }
    let clock = TestClock()
    let gate = Gate()
    let resimulation = Task {
      await recording.resimulate(patience: .seconds(3), clock: clock) { Waiting(tape: $0, gate: gate) }
    }
    try await gate.waitForArrivals(1)
    // Who is asleep from here on waits for that action.
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(3))
    let report = await resimulation.value
    let differences = report.differences
    #expect(differences.map(\.kind) == [.stuck, .mutations])
    #expect(
      differences.first.map { plain($0.description) } == """
        look (#5) did not continue within 3.0 seconds; it may wait for something that is not recorded: another clock than the \
        store's, or a gateway that is not called through the tape.
        """)
    #expect(report.state.total == 2)
  }

  @Test("A redacted recording is resimulated with its redaction")
  func redacted() async throws {
    let ring = RingRecorder<Till>(initial: Till.State(), redaction: RedactionTests.redaction)
    let store = Store(
      initial: Till.State(), interactor: Till(price: { _ in 5_000 }, tape: ring.tape), interceptors: [ring])
    store.send(.welcome("Ada"))
    _ = await store.send(.look("tea")).outcome
    let report = await resimulate(ring.recording, redaction: RedactionTests.redaction)
    #expect(report.differences.map(\.kind) == [.mutations])  // The price is in the mutation as well.
    #expect(report.state.customer == "x")
    #expect(report.replies == 1)
  }

  @Test("Commits of actions from before the recording are counted, and a gap ends it")
  func foreign() async throws {
    let whole = try await record { store in
      for price in 1...3 { store.send(.add("tea", price: price)) }
    }
    let gap: [Recording<Till>.Entry] = [.gap(RecordedGap(at: 0, missed: 1))]
    let part = Recording<Till>(
      header: whole.header, start: whole.start, entries: whole.entries[1..<6] + gap + whole.entries[6...])
    let report = await resimulate(part)
    #expect(
      report.description == """
        Resimulated 1 action with 0 recorded replies; 0 differences.
        It ended at a gap of the recording.
        1 commit is of an action from before the recording; states differ from there. Resimulate a recording that begins with the \
        store.
        """)
    #expect(report.state.total == 2)
  }

  @Test("Where no action was resimulated nothing is the same, and the report says that nothing is proven and why")
  func nothingCompared() async throws {
    let ring = RingRecorder<Till>(initial: Till.State(), keeping: 16)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [ring])
    store.send(.add("tea", price: 1))
    // The ring leaves out what is oldest but for the commit, and so has a gap before all that is left.
    for _ in 0..<30 { _ = await store.send(.refuse).outcome }
    guard case .gap = ring.recording.entries.first else {
      Issue.record("The recording does not begin with a gap.")
      return
    }
    let report = await resimulate(ring.recording)
    #expect(report.verdict == .nothingCompared)
    #expect(!report.isSame)
    #expect(report.actions == 0)
    #expect(
      report.description == """
        No action was resimulated, so nothing was compared and nothing is proven: no action stands before the first gap of the \
        recording. Keep more entries in a ring, or begin with the store.
        """)
    let empty = Recording<Till>(header: ring.recording.header, start: ring.recording.start, entries: [])
    #expect(
      await resimulate(empty).description == """
        No action was resimulated, so nothing was compared and nothing is proven: the recording has no action that was accepted.
        """)
    #expect(await resimulate(empty).verdict == .nothingCompared)
  }

  @Test("Any number of actions that do not continue are waited for no longer than twice the patience in all")
  func manyStuck() async throws {
    let recording = try await record { store in
      for _ in 0..<20 { _ = await store.send(.look("milk")).outcome }
      store.send(.add("tea", price: 2))
    }
    let clock = TestClock()
    let gate = Gate()
    let resimulation = Task {
      await recording.resimulate(patience: .seconds(16), clock: clock) { Waiting(tape: $0, gate: gate) }
    }
    for count in 1...5 {
      try await gate.waitForArrivals(count)
      // Who is asleep from here on waits for that action.
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(16 >> (count - 1)))
    }
    let report = await resimulation.value
    #expect(report.wasGivenUp)
    #expect(report.verdict == .different)
    let stuck = report.differences.filter { $0.kind == .stuck }.map(\.description)
    #expect(stuck.count == 5)
    #expect(stuck.last?.contains("did not continue within 1.0 seconds;") == true)
    #expect(clock.now.offset == .seconds(31))
    // Of what came after that nothing is told.
    #expect(report.differences.allSatisfy { [.stuck, .mutations].contains($0.kind) })
    #expect(
      report.description.contains(
        "It was given up, for too many actions did not continue; what came after that was not resimulated."))
  }

  @Test("A call that comes when the resimulation has ended is refused")
  func late() async throws {
    let recording = try await record { store in
      let look = store.send(.look("milk"))
      _ = await look.outcome
    }
    let tapes = Lock<GatewayTape?>(nil)
    let report = await recording.resimulate { tape in
      tapes.withLock { $0 = tape }
      return Till(tape: tape)
    }
    let tape = try #require(tapes.withLock { $0 })
    #expect(report.isSame)
    let error = await #expect(throws: RecordedFailure.self) { try await tape.call("price", "milk") { 3 } }
    #expect(
      error?.description == """
        The call "price" came when the resimulation had ended, and nothing is left to answer it; use its tape no longer than that.
        """)
  }
}
