import MillraceJournal
import MillraceTesting
import Testing

@testable import Millrace

@Suite("Sinks of steps", .timeLimit(.minutes(1)))
struct StepSinkTests {
  /// Writes down what handlers get of their steps.
  private struct Sink: Interceptor, StepSink {
    typealias I = Stepped

    let seen = Recorder<String>()

    func stepHasValue(_ value: any Encodable & Sendable, _ name: String, of handling: StepOrigin) {
      seen.record("\(name) \(value)")
    }

    func stepHasFailed(_ error: any Error, _ name: String, of handling: StepOrigin) { seen.record("\(name) failed") }
  }

  private struct Refused: Error {}

  @Test("A run that is handled again tells of its stored results, each once, and of those of its sleeps")
  func restored() async throws {
    let (lives, sinks, gates) = (Lives(), [Sink(), Sink()], [Gate(), Gate()])
    @Sendable func handling(_ gate: Gate) -> Stepped.Handling {
      { run, _ in
        _ = try await run.step("a") { _ in 7 }
        try? await run.step("b") { _ in throw Refused() }
        try await run.sleep("c", for: .zero)
        _ = try await run.wait("d") { $0.isEmpty ? 1 : nil }
        try await gate.enter()
        try await run.step("e") { _ in }
      }
    }
    let first = try await lives.open(handling(gates[0]))
    first.setInterceptors([sinks[0]])
    first.send(.handle(1), key: "one")
    try await gates[0].waitForArrivals(1)
    #expect(sinks[0].seen.recorded.map { String($0.prefix(1)) } == ["a", "b", "c", "d"])
    gates[1].open()
    let plan = Plan.concurrent.recovery(.handleAgain).retry(2, backoff: .none)
    let second = try await Store.open(
      initial: [],
      interactor: Stepped(plan: plan) { [gate = gates[1]] run, number in
        try await handling(gate)(run, number)
        // The results are not told again to the next attempt.
        if run.attempt == 1 { throw Refused() }
      }, journal: lives.journal, key: "k", configuration: StoreConfiguration(clock: lives.clock),
      interceptors: [sinks[1]])
    #expect(await second.send(.handle(1), key: "one").outcome.kind == .finished)
    let seen = sinks[1].seen.recorded
    #expect(seen.filter { $0.hasPrefix("a") } == ["a 7"])
    #expect(seen.filter { $0.hasPrefix("b") } == ["b failed"])
    #expect(seen.filter { $0.hasPrefix("d") } == ["d 1"])
    #expect(seen.filter { $0.hasPrefix("e") }.count == 1)
    withExtendedLifetime(first) {}
  }
}
