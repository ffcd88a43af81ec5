import Millrace
import MillraceEntries

/// The recorded replies to calls and results of steps, which a resimulation gives in their order.
///
/// A step is answered as a call is. The calls and steps of its body are left out, because the body is not called. A step that was cut by the
/// end of its attempt has no result, so its body is called, as it was.
struct RecordedAnswers: Sendable {
  private(set) var calls: [RecordedCall] = []

  /// The positions of the calls among the entries.
  private(set) var indices: [Int] = []

  private struct StepName: Hashable {
    let run: RunID
    let attempt: Int
    let name: String
  }

  init<Action, Mutation, State>(_ entries: ArraySlice<RecordingEntry<Action, Mutation, State>>) {
    var answered: Set<StepName> = []
    for case .step(let step) in entries {
      answered.insert(StepName(run: step.run, attempt: step.attempt, name: step.name))
    }
    for (index, entry) in zip(entries.indices, entries) {
      switch entry {
      case .call(let call):
        if let run = call.run, let name = call.step,
          answered.contains(StepName(run: run, attempt: call.attempt, name: name))
        {
          continue
        }
        calls.append(call)
      case .step(let step):
        if let name = step.enclosingStep,
          answered.contains(StepName(run: step.run, attempt: step.attempt, name: name))
        {
          continue
        }
        calls.append(RecordedCall(step))
      case .action, .commit, .rest, .end, .state, .gap: continue
      }
      indices.append(index)
    }
  }
}

extension RecordedCall {
  /// The name of each step among the calls; no tape has such a call by accident.
  static let stepName = "\u{0}step"

  /// A step as a call that is answered at once.
  fileprivate init(_ step: RecordedStep) {
    let reply: RecordedReply =
      switch step.result {
      case .value(let json): .reply(json)
      case .failure(let json): .failure(json)
      case .leftOut: .error("")
      }
    self.init(
      at: step.at, took: 0, run: step.run, name: Self.stepName, request: Self.request(step.name, step.attempt),
      reply: reply)
  }

  static func request(_ step: String, _ attempt: Int) -> String {
    step.debugDescription + (attempt == 1 ? "" : " (attempt \(attempt))")
  }

  var isStep: Bool { name == Self.stepName }
}

/// Answers the steps of handlers with what was recorded.
extension ResimulationInterceptor: StepSink {
  var answersSteps: Bool { true }

  func answer<Value: Codable & Sendable>(_ type: Value.Type, to name: String, of handling: StepOrigin) async throws
    -> Value?
  {
    let (live, request) = (handling.run, RecordedCall.request(name, handling.attempt))
    let isRecorded = board.read { content in
      content.runs.twin(of: live).map {
        content.calls.expects(.init(run: $0, name: RecordedCall.stepName, request: request))
      } ?? false
    }
    // A step that got no result, or is new, is done.
    guard isRecorded, let reply = try await board.reply(to: RecordedCall.stepName, request, of: live) else {
      return nil
    }
    switch reply {
    case .reply(let json):
      if let value = try? JSON.value(Value.self, from: json) { return value }
      throw board.fail(
        .unreadableReply, live,
        "got the recorded result \(json) of the step \(request), which is no \(Value.self); the step has failed")
    case .failure(let json):
      guard let failure = try? JSON.value(RecordedStepFailure.self, from: json) else {
        throw board.fail(
          .unreadableReply, live,
          "got the recorded failure \(json) of the step \(request), which is none; the step has failed")
      }
      throw failure.error(of: name)
    case .error, .cancelled:
      throw board.fail(
        .missingValue, live,
        "needs the value of the step \(request), which the redaction left out of the recording; the step has failed. Record with a "
          + "'Redaction' that has 'step:'")
    }
  }

  func stepHasValue(_ value: any Encodable & Sendable, _ name: String, of handling: StepOrigin) {}

  func stepHasFailed(_ error: any Error, _ name: String, of handling: StepOrigin) {}
}
