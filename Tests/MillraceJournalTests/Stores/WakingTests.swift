import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

@Suite("The keys that have to be open", .timeLimit(.minutes(2)))
struct WakingTests {
  private let journal = KeysJournal()
  private let partition = JournalPartition(of: "accounts", number: 0)

  private func due() async throws -> [JournalDue] {
    try await journal.due(in: partition, before: .max, after: nil, upTo: 100)
  }

  @Test("K4: A key has to be open while a run of it is, and the record that begins or ends the last run says so")
  func wake() async throws {
    let gates = [Gate(), Gate()]
    let stores = try await ManyAccounts.accounts(journal) { _, number in try await gates[number].enter() }
    #expect(await stores.send(.deposit(1), to: "b").outcome.kind == .finished)
    let receipts = [stores.send(.order(0), to: "a"), stores.send(.orderAgain(1), to: "a")]
    for gate in gates { try await gate.waitForArrivals(1) }
    #expect(try await due() == [JournalDue(.account("a"), wake: 0)])
    gates[0].open()
    #expect(await receipts[0].outcome.kind == .finished)
    #expect(try await due().map(\.wake) == [0])
    gates[1].open()
    #expect(await receipts[1].outcome.kind == .finished)
    #expect(try await due().isEmpty)
    await stores.shutdown()
  }

  @Test("K4: After a crash exactly the keys with open runs are opened, and their runs are handled before what is sent")
  func restart() async throws {
    let (gate, begun) = (Gate(), Recorder<Int>())
    var first: ManyAccounts? = try await ManyAccounts.accounts(journal) { _, _ in try await gate.enter() }
    for number in 0..<50 { #expect(await first?.send(.deposit(1), to: "cold \(number)").outcome.kind == .finished) }
    for number in 0..<20 {
      first?.send(number.isMultiple(of: 2) ? .orderAgain(number) : .order(number), to: "\(number)")
    }
    try await gate.waitForArrivals(20)
    first = nil
    let (again, clock, incidents) = (KeysJournal(journal.base), TestClock(), Recorder<Incident>())
    let configuration = StoreConfiguration(clock: clock, report: { incidents.record($0) })
    again.failOpenings(.corrupt)
    let second = try await ManyAccounts.accounts(again, limits: StoresLimits(live: 5), configuration: configuration) {
      run, number in
      begun.record(number)
      run.emit(.added(100))
    }
    let opened = try await again.openings.next(20)
    #expect(Set(opened) == Set((0..<20).map { "\($0)" }))
    let incident = try await incidents.next()
    #expect(incident.kind == .failedWake)
    #expect(
      incident.description.contains("has to be open, and was not opened. The store of the key could not be opened"))
    // The one that failed is tried again, and no other key is opened.
    while again.openings.recorded.count == 20 { try await clock.advanceToNextDeadline() }
    #expect(opened.contains(try await again.openings.next()))
    #expect(clock.now.offset >= .seconds(1))
    #expect(Set(try await begun.next(10)) == Set(stride(from: 0, to: 20, by: 2)))
    for number in 0..<20 {
      let state = try await second.wait(for: "\(number)") { $0.balance >= 100 || !$0.closings.isEmpty }
      #expect(number.isMultiple(of: 2) || state.closings == ["abandoned"])
    }
    await second.shutdown(drainFor: .seconds(5))
    #expect(try await due().isEmpty)
  }

  @Test("K4: A store that stops with open runs is opened again, unless another process has its log")
  func stopped() async throws {
    let (clock, begun) = (TestClock(), Recorder<Int>())
    var options = JournalOptions()
    options.deadline = .seconds(3)
    let stores = try await ManyAccounts.accounts(
      journal, configuration: StoreConfiguration(clock: clock), options: options
    ) { run, number in
      begun.record(number)
      if begun.recorded.count > 1 {
        run.emit(.added(number))
      } else {
        try await run.sleep("rest", for: .seconds(10_000))
      }
    }
    let receipt = stores.send(.orderAgain(10), to: "a")
    _ = try await begun.next()
    journal.failAppends(.unavailable)
    let (failed, outcomes) = (stores.send(.deposit(1), to: "a"), Recorder<Outcome.Kind>())
    Task { outcomes.record(await failed.outcome.kind) }
    while outcomes.recorded.isEmpty { try await clock.advanceToNextDeadline() }
    #expect(outcomes.recorded == [.failed])
    #expect(await receipt.outcome.kind == .failed)
    journal.failAppends(nil)
    while begun.recorded.count < 2 { try await clock.advanceToNextDeadline() }
    #expect(try await stores.wait(for: "a") { $0.balance == 11 }.balance == 11)
    await stores.shutdown()
  }
}
