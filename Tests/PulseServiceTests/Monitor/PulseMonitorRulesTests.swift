import Millrace
import MillraceTesting
import Testing

@testable import PulseService

@Suite("PulseMonitor, reading rules", .timeLimit(.minutes(1)))
struct PulseMonitorRulesTests {
  private let clock = RecordedClock()

  private let rules = FakeRulesGateway()

  private func store(_ rules: FakeRulesGateway?) throws -> (Store<PulseMonitor>, PulseMonitor) {
    let monitor = PulseMonitor.fake(rules: rules, clock: clock)
    let initial = PulseState(rules: [try AlertRule("cpu > 90 %")])
    return (Store(initial: initial, interactor: monitor, configuration: .fake(clock)), monitor)
  }

  @Test("Good rules replace those there are; bad ones leave them, with a sentence in the state until good ones come")
  func goodAndBad() async throws {
    for text in ["load > 4", "load", "load > 5"] { rules.readings.reply([text]) }
    let (store, monitor) = try store(rules)
    let sentence =
      "pulse keeps the rules it has: lacks >, >=, < or <= behind 'load'; write for example 'cpu > 90 % for 30 s'"
    for (texts, failure) in [(["load > 4"], nil), (["load > 4"], sentence), (["load > 5"], nil)] {
      #expect(monitor.rulesFailure(await store.send(.readRules).outcome) == failure)
      #expect(await store.state.rules.map(\.text) == texts)
      #expect(await store.state.alerts.map(\.rule.text) == texts)
      #expect(await store.state.rulesFailure == failure)
    }
    await rules.finish()
  }

  @Test("Of two readings at a time the later one counts, whichever is quicker")
  func latest() async throws {
    let slow = rules.readings.hold(ignoringCancellation: true)
    rules.readings.reply(["load > 2"])
    let (store, monitor) = try store(rules)
    let first = store.send(.readRules)
    try await slow.arrived()
    #expect(await store.send(.readRules).outcome.kind == .finished)
    #expect(await first.outcome.kind == .superseded)
    #expect(monitor.rulesFailure(await first.outcome) == nil)
    slow.release(["load > 1"])
    await store.shutdown()
    #expect(await store.state.rules.map(\.text) == ["load > 2"])
    await rules.finish()
  }

  @Test("Without a place where rules come from, that is the answer")
  func none() async throws {
    let (store, monitor) = try store(nil)
    let outcome = await store.send(.readRules).outcome
    #expect(outcome.kind == .rejected)
    let sentence = "pulse has no file to read again; start it with --rules FILE or --targets FILE."
    #expect(monitor.rulesFailure(outcome) == sentence)
    #expect(await store.state.rulesFailure == sentence)
    #expect(await store.state.rules.map(\.text) == ["cpu > 90 %"])
  }

  @Test("Rules that take too long to read are bad ones")
  func hangs() async throws {
    let hanging = rules.readings.hold()
    let (store, _) = try store(rules)
    let receipt = store.send(.readRules)
    try await hanging.arrived()
    try await clock.advance(toAlarmAt: .seconds(5))
    #expect(await receipt.outcome.kind == .timedOut)
    let sentence = "pulse keeps the rules it has: their files were not read within 5 s; send SIGHUP again."
    #expect(await store.state.rulesFailure == sentence)
    await rules.finish()
  }
}
