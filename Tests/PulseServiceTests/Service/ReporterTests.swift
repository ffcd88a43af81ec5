import Millrace
import MillraceTerminal
import MillraceTesting
import Testing

@testable import PulseService

@Suite("Reporter", .timeLimit(.minutes(1)))
struct ReporterTests {
  private let clock = RecordedClock()
  private let output = FakeOutput()

  private func store() -> Store<PulseMonitor> {
    // A machine that cannot be read settles at once, by one mutation, the failure.
    let machine = FakeMachineGateway()
    machine.readings.always { throw MachineFailure("none") }
    return Store(
      initial: PulseState(), interactor: PulseMonitor.fake(machine: machine, clock: clock),
      configuration: StoreConfiguration(clock: clock))
  }

  private func reporter(_ output: FakeOutput, isFinalOnly: Bool = false) -> Reporter {
    Reporter(
      output: output, presentation: RevisionPresentation(), isFinalOnly: isFinalOnly, pace: .milliseconds(50),
      clock: clock)
  }

  @Test("The first state is written at once, changes that come together once, and the last state always")
  func report() async throws {
    let store = store()
    _ = await store.send(.sample).outcome
    let reporting = Task { [reporter = reporter(output)] in try await reporter.report(store.reader) }
    #expect(try await output.texts.next() == "1")

    _ = await store.send(.sample).outcome
    _ = await store.send(.sample).outcome
    try await clock.waitForAlarm(at: .milliseconds(50))
    _ = await store.send(.sample).outcome
    clock.advance(by: .milliseconds(50))
    #expect(try await output.texts.next() == "4")

    await store.shutdown()
    try await reporting.value
    #expect(output.texts.recorded == ["1", "4"])
  }

  @Test("When only the last state is wanted, nothing else is written")
  func finalOnly() async throws {
    let store = store()
    let reporting = Task { [reporter = reporter(output, isFinalOnly: true)] in try await reporter.report(store.reader) }
    _ = await store.send(.sample).outcome
    _ = await store.send(.probe(.web)).outcome
    await store.shutdown()
    try await reporting.value
    #expect(output.texts.recorded == ["3"])
  }

  @Test("A state that shows nothing is written only when it is the last")
  func nothingToShow() async throws {
    let store = store()
    let reporting = Task { [reporter = reporter(output)] in try await reporter.report(store.reader) }
    _ = await store.send(.probe(.web)).outcome
    await store.shutdown()
    try await reporting.value
    #expect(output.texts.recorded == ["2"])
  }

  @Test("An output that is closed ends the report with its error")
  func closed() async throws {
    let store = store()
    _ = await store.send(.sample).outcome
    let closed = FakeOutput { throw OutputError.closed }
    await #expect(throws: OutputError.closed) { try await reporter(closed).report(store.reader) }
  }
}
