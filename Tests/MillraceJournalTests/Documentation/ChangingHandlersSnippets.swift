import Millrace
import MillraceJournal
import MillraceTesting
import Testing

/// The snippets of docs/changing-a-handler.md: each continues a run that an earlier handler has left open.
@Suite("ChangingHandlersSnippets", .timeLimit(.minutes(1)))
struct ChangingHandlersSnippets {
  private let lives = Lives()
  private let calls = Recorder<String>()

  /// A gateway that says what it was asked.
  private struct Gateway: Sendable {
    let calls: Recorder<String>

    func call(_ name: String, _ step: Step) -> Int {
      calls.record("\(name) \(step.idempotencyKey)")
      return 1
    }
  }

  /// Leaves a run open in its second step, and returns the store whose handler continues it.
  private func change(to handling: @escaping @Sendable (Run<Stepped>, Gateway) async throws -> Void) async throws
    -> (state: [String], calls: [String])
  {
    let (gateway, gate) = (Gateway(calls: Recorder()), Gate())
    let first = try await lives.open { run, _ in
      // snippet.before
      try await run.step("charge", commit: { _ in ["charged"] }) { step in gateway.call("charge", step) }
      try await run.step("reserve") { step in gateway.call("reserve", step) }
      try await run.sleep("grace", for: .seconds(60))
      // snippet.end
      try await gate.enter()
    }
    first.send(.handle(7), key: "7")
    try await lives.clock.waitForSleepers()
    #expect(gateway.calls.recorded == ["charge 1.k/1.7.charge", "reserve 1.k/1.7.reserve"])
    let after = Gateway(calls: calls)
    let second = try await lives.open { run, _ in try await handling(run, after) }
    lives.clock.advance(by: .seconds(60))
    let state = await second.end()
    return (state, calls.recorded)
  }

  @Test("T7: a step that is inserted is done where the handler reaches it")
  func inserted() async throws {
    let result = try await change { run, gateway in
      // snippet.inserted
      try await run.step("charge", commit: { _ in ["charged"] }) { step in gateway.call("charge", step) }
      try await run.step("check") { step in gateway.call("check", step) }  // new
      try await run.step("reserve") { step in gateway.call("reserve", step) }
      // snippet.end
    }
    #expect(result.calls == ["check 1.k/1.7.check"] && result.state == ["charged"])
  }

  @Test("T7: the result of a step that is removed stays unused")
  func removed() async throws {
    let result = try await change { run, gateway in
      // snippet.removed
      try await run.step("charge", commit: { _ in ["charged"] }) { step in gateway.call("charge", step) }
      try await run.sleep("grace", for: .seconds(60))
      // snippet.end
    }
    #expect(result.calls.isEmpty && result.state == ["charged"])
    #expect(lives.incidents.recorded.isEmpty)
  }

  @Test("T7: steps that change places get their results")
  func swapped() async throws {
    let result = try await change { run, gateway in
      // snippet.swapped
      try await run.step("reserve") { step in gateway.call("reserve", step) }
      try await run.step("charge", commit: { _ in ["charged"] }) { step in gateway.call("charge", step) }
      // snippet.end
    }
    #expect(result.calls.isEmpty && result.state == ["charged"])
  }

  @Test("T7: a step with a new name is another step: it is done again, with another key")
  func renamed() async throws {
    let result = try await change { run, gateway in
      // snippet.renamed
      try await run.step("pay", commit: { _ in ["charged"] }) { step in gateway.call("charge", step) }  // was "charge"
      try await run.step("reserve") { step in gateway.call("reserve", step) }
      // snippet.end
    }
    #expect(result.calls == ["charge 1.k/1.7.pay"] && result.state == ["charged", "charged"])
  }

  @Test("T7: a stored result of another type ends the run as failed, with its closing")
  func otherType() async throws {
    let result = try await change { run, gateway in
      // snippet.other-type
      let receipt = try await run.step("charge") { step in "receipt \(gateway.call("charge", step))" }  // was a number
      // snippet.end
      calls.record(receipt)
    }
    #expect(result.calls.isEmpty)
    #expect(result.state.count == 2 && result.state[1].hasPrefix("failed: ") && result.state[1].contains("\"charge\""))
  }

  @Test("T7: a sleep that becomes a wait ends the run as failed, with its closing")
  func otherKind() async throws {
    let result = try await change { run, gateway in
      // snippet.other-kind
      _ = try await run.wait("grace", timeout: .seconds(60)) { $0.isEmpty ? nil : $0.count }  // was a sleep
      // snippet.end
      calls.record("behind")
    }
    #expect(result.calls.isEmpty)
    #expect(result.state.count == 2 && result.state[1].contains("\"grace\""))
  }

  @Test("An open log is checked against the new handler before it is deployed")
  func check() async throws {
    _ = try await change { run, gateway in
      try await run.step("charge") { step in gateway.call("charge", step) }
      _ = try await run.wait("never") { $0.count > 9 ? 1 : nil }
    }
    let copy = lives.journal
    let interactor = Stepped { run, _ in _ = try await run.step("charge") { _ in "receipt" } }
    // snippet.check
    let check = try await JournalCheck.run(copy, key: "k", initial: [], interactor: interactor)
    for problem in check.problems { print(problem) }
    // snippet.end
    #expect(check.problems.count == 1)
  }
}
