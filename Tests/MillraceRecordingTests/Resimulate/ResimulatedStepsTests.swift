import Foundation
import MillraceTesting
import Testing

@testable import Millrace
@testable import MillraceRecording

@Suite("Recorded and resimulated steps", .timeLimit(.minutes(1)))
struct ResimulatedStepsTests {
  /// Orders by steps: a charge whose receipt is a secret, a sleep, a wait, and a gateway outside of steps.
  struct Order: Interactor {
    typealias Handling = @Sendable (Run<Order>, GatewayTape, Recorder<String>) async throws -> Void

    enum Action: Sendable, Codable {
      case order
      case approve
    }

    let tape: GatewayTape
    let calls: Recorder<String>
    var plan = Plan.concurrent
    let handling: Handling

    func plan(for action: Action, state: [String]) -> Plan { plan }

    func decide(_ action: Action, state: [String]) -> Decision<String> {
      if case .approve = action { .mutate("approved") } else { .handle }
    }

    func handle(_ action: Action, state: [String]) -> Effect<Self> {
      Effect { run in try await handling(run, tape, calls) }
    }

    func closing(_ action: Action, outcome: Outcome) -> String? { "\(outcome.kind)" }

    static func reduce(into state: inout [String], mutation: String) { state.append(mutation) }
  }

  private struct Declined: Error, CustomStringConvertible {
    var description: String { "card 4711 is declined" }
  }

  private static let handling: Order.Handling = { run, tape, calls in
    let receipt = try await run.step("charge", commit: { ["charged \($0)"] }) { _ -> String in
      try await tape.call("charge", 7) {
        calls.record("charge")
        return "receipt 4711"
      }
    }
    run.emit("had \(receipt)")
    try await run.sleep("grace", for: .seconds(3_600))
    let approval = try await run.wait("approval") { $0.contains("approved") ? $0.count : nil }
    run.emit("approved at \(approval)")
    do {
      try await run.step("ship", retry: StepRetry(attempts: 2, backoff: .none)) { _ in
        try await tape.call("ship", "tea") {
          calls.record("ship")
          throw Declined()
        }
      }
    } catch let failure as StepFailure {
      run.emit("not shipped: \(failure.message)")
    }
    let mail = try await tape.call("mail", "customer") { "mailed" }
    run.emit(mail)
    try await run.step("last") { _ in calls.record("last") }
  }

  private let calls = Recorder<String>()

  /// Records an order that is approved when it sleeps.
  private func record(redaction: Redaction<Order> = Redaction()) async throws -> Recording<Order> {
    let clock = TestClock()
    let ring = RingRecorder<Order>(initial: [], redaction: redaction, clock: clock)
    let store = Store(
      initial: [], interactor: Order(tape: ring.tape, calls: calls, handling: Self.handling),
      configuration: StoreConfiguration(clock: clock), interceptors: [ring])
    let receipt = store.send(.order)
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(3_600))
    _ = try await store.wait { $0.count == 2 }
    #expect(await store.send(.approve).outcome.kind == .finished)
    #expect(await receipt.outcome.kind == .finished)
    return try Recording<Order>.read(from: ring.recording.jsonLines())
  }

  private func resimulate(
    _ recording: Recording<Order>, _ handling: @escaping Order.Handling = Self.handling
  ) async -> (report: ResimulationReport<[String]>, calls: [String]) {
    let calls = Recorder<String>()
    let report = await recording.resimulate(patience: .seconds(60)) { tape in
      Order(tape: tape, calls: calls, handling: handling)
    }
    return (report, calls.recorded)
  }

  @Test(
    "A recorder writes what a handler gets of each step, sleep and wait, before its mutations; calls name the step of their body"
  )
  func recorded() async throws {
    let recording = try await record()
    #expect(calls.recorded == ["charge", "ship", "ship", "last"])
    let lines = recording.entries.compactMap { entry -> String? in
      switch entry {
      case .step(let step): "step \(step.name)"
      case .call(let call): "call \(call.name) in \(call.step ?? "no step")"
      case .commit(let commit): commit.mutation
      default: nil
      }
    }
    #expect(
      lines.filter { $0 != "approved" && $0 != "step grace" } == [
        "call charge in charge", "step charge", "charged receipt 4711", "had receipt 4711", "step approval",
        "approved at 3", "call ship in ship", "call ship in ship", "step ship",
        "not shipped: card 4711 is declined", "call mail in no step", "mailed", "step last",
      ])
    #expect(lines.contains("step grace"))
    let results = Dictionary(
      uniqueKeysWithValues: recording.entries.compactMap { entry in
        if case .step(let step) = entry { (step.name, step.result) } else { nil }
      })
    #expect(results["charge"] == .value(#""receipt 4711""#) && results["approval"] == .value("3"))
    #expect(results["grace"] == .value("{}") && results["last"] == .value("{}"))
    guard case .failure(let json) = results["ship"] else {
      Issue.record("The failure is not recorded.")
      return
    }
    #expect(json.contains(#""text":"card 4711 is declined""#) && json.contains("Declined"))
  }

  @Test("A resimulation answers steps, sleeps and waits from the recording, and calls no body and no gateway")
  func same() async throws {
    let (report, calls) = await resimulate(try await record())
    #expect(report.description.hasSuffix("0 differences."), "\(report)")
    #expect(report.isSame && calls.isEmpty)
    #expect(
      report.state.contains("not shipped: card 4711 is declined") && report.state.contains("charged receipt 4711"))
  }

  @Test(
    "A redaction leaves the values of steps out unless it says otherwise, and a resimulation says where it needs one")
  func leftOut() async throws {
    let recording = try await record(
      redaction: Redaction<Order>(
        mutation: { _ in "redacted" }, state: { $0.map { _ in "redacted" } }, reply: { _, _ in "redacted" }))
    #expect(!String(decoding: try recording.jsonLines(), as: UTF8.self).contains("4711"))
    let (report, calls) = await resimulate(recording)
    #expect(calls.isEmpty)
    let missing = report.differences.filter { $0.kind == .missingValue }
    #expect(missing.count == 1)
    #expect(
      missing.first?.description.contains(
        #"needs the value of the step "charge", which the redaction left out of the recording; the step has failed."#)
        == true)
  }

  @Test("A redaction changes the values of steps by their names")
  func redacted() async throws {
    let redaction = Redaction<Order>(step: { name, value in name == "charge" ? "a receipt" : value })
    let recording = try await record(redaction: redaction)
    let (report, _) = await resimulate(recording)
    #expect(report.state.contains("charged a receipt"))
    #expect(report.differences.map(\.kind) == [.mutations])
  }

  @Test("A new step is done, and one that is not asked for any more is a difference")
  func changed() async throws {
    let (report, calls) = await resimulate(try await record()) { run, tape, calls in
      _ = try await run.step("pay", commit: { ["charged \($0)"] }) { _ -> String in
        calls.record("pay")
        return "receipt 4711"
      }
      run.emit("had receipt 4711")
    }
    #expect(calls == ["pay"])
    let sentences = report.differences.map(\.description)
    #expect(sentences.contains { $0.contains(#"did not ask for the step "charge" again"#) }, "\(report)")
  }

  @Test("A recorded result of another type is a difference, and the step fails")
  func otherType() async throws {
    let (report, _) = await resimulate(try await record()) { run, _, _ in
      _ = try await run.step("charge") { _ in 7 }
    }
    #expect(report.differences.contains { $0.kind == .unreadableReply }, "\(report)")
  }

  // Each nested step was waited for, as long as the patience lasts.
  @Test("The steps, the calls and the failures that a body has made in its own steps are no part of a resimulation")
  func nested() async throws {
    struct Codable: Error, Swift.Codable, Equatable { let code: Int }
    let handling: Order.Handling = { run, tape, calls in
      do {
        try await run.step("outer") { _ in
          for number in 1...7 {
            _ = try await run.step("inner \(number)") { _ in try await tape.call("get", number) { number } }
          }
          throw Codable(code: 7)
        }
      } catch let failure as StepFailure {
        run.emit("\(failure.error(as: Codable.self)?.code ?? 0)")
      }
    }
    let ring = RingRecorder<Order>(initial: [])
    let store = Store(
      initial: [], interactor: Order(tape: ring.tape, calls: calls, handling: handling), interceptors: [ring])
    #expect(await store.send(.order).outcome.kind == .finished)
    #expect(await store.state == ["7"])
    let recording = try Recording<Order>.read(from: ring.recording.jsonLines())
    let (report, _) = await resimulate(recording, handling)
    #expect(report.isSame && report.state == ["7"], "\(report)")
  }

  @Test("T4: a timeout that was recorded is a failure with `isTimeout` in a resimulation")
  func timeout() async throws {
    let handling: Order.Handling = { run, _, _ in
      do {
        _ = try await run.wait("never", timeout: .zero) { $0.contains("never") ? 1 : nil }
      } catch let failure as StepFailure {
        run.emit("\(failure.isTimeout) \(failure.typeName) \(failure)")
      }
    }
    let ring = RingRecorder<Order>(initial: [])
    let store = Store(
      initial: [], interactor: Order(tape: ring.tape, calls: calls, handling: handling), interceptors: [ring])
    #expect(await store.send(.order).outcome.kind == .finished)
    #expect(await store.state.first?.hasPrefix(#"true Millrace.StepFailure The wait "never" saw no state"#) == true)
    let recording = try Recording<Order>.read(from: ring.recording.jsonLines())
    let (report, _) = await resimulate(recording, handling)
    #expect(report.isSame, "\(report)")
  }

  // The attempt that was given up took the result of the next one, whose body was called then.
  @Test("An attempt that was given up in a step leaves the recorded result to the next attempt")
  func attempts() async throws {
    let plan = Plan.concurrent.attemptTimeout(.seconds(10)).retry(2, backoff: .none)
    let (gate, returned) = (Gate(), Recorder<Int>())
    let handling: Order.Handling = { run, tape, calls in
      defer { returned.record(run.attempt) }
      let value = try await run.step("charge") { _ in
        try await tape.call("charge", run.attempt) {
          calls.record("charge")
          if run.attempt == 1 { try await gate.enter() }
          return run.attempt
        }
      }
      run.emit("charged by attempt \(value)")
    }
    let (clock, calls) = (TestClock(), calls)
    let ring = RingRecorder<Order>(initial: [], clock: clock)
    let store = Store(
      initial: [], interactor: Order(tape: ring.tape, calls: calls, plan: plan, handling: handling),
      configuration: StoreConfiguration(clock: clock), interceptors: [ring])
    let receipt = store.send(.order)
    try await gate.waitForArrivals(1)
    clock.advance(by: .seconds(10))
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.state == ["charged by attempt 2"])
    // The recording has the call of the first attempt once that has returned.
    for _ in 1...2 { _ = try await returned.next() }
    let recording = try Recording<Order>.read(from: ring.recording.jsonLines())
    let again = Recorder<String>()
    let report = await recording.resimulate(patience: .seconds(60)) { tape in
      Order(tape: tape, calls: again, plan: plan, handling: handling)
    }
    #expect(report.isSame && again.recorded.isEmpty, "\(report)")
  }

  @Test("A step without a value, and a call of a step, are read as they were written, by both readers")
  func format() async throws {
    let recording = try await record(redaction: Redaction<Order>(state: { $0 }))
    let again = try Recording<Order>.read(from: recording.jsonLines())
    let steps = again.entries.compactMap { entry -> RecordedStep? in
      if case .step(let step) = entry { step } else { nil }
    }
    #expect(steps.filter { $0.result == .leftOut }.map(\.name) == ["charge", "approval"])
    // A line with a space is read by the other reader.
    let spaced = String(decoding: try recording.jsonLines(), as: UTF8.self).replacing(
      #""kind":"step","#, with: #""kind": "step","#
    )
    .replacing(#""kind":"call","#, with: #""kind": "call","#)
    let other = try Recording<Order>.read(from: Data(spaced.utf8))
    #expect(other.entries.map { "\($0)" } == again.entries.map { "\($0)" })
  }
}
