import Millrace
import MillraceEntries

/// The steps of handlers on their way to a recorder.
struct StepTape<Keep: EntryKeeping>: StepSink {
  let intake: RecordingIntake<Keep>
  let redaction: StepRedaction
  let reports: UnencodableReports

  func stepHasValue(_ value: any Encodable & Sendable, _ name: String, of handling: StepOrigin) {
    // That a step, or a sleep, is done is no value that a redaction could be about.
    let shown = value is NoValue ? value : redaction.step(name, value)
    record(name, handling) { try shown.map { .value(try JSON.text(of: $0)) } ?? .leftOut }
  }

  func stepHasFailed(_ error: any Error, _ name: String, of handling: StepOrigin) {
    record(name, handling) { .failure(try JSON.text(of: RecordedStepFailure(error, redaction))) }
  }

  private func record(_ name: String, _ handling: StepOrigin, _ result: () throws -> RecordedStep.Result) {
    if intake.isOver { return }
    do {
      intake.stepped(
        RecordedStep(
          at: intake.now(), run: handling.run, name: name, result: try result(), attempt: handling.attempt,
          enclosingStep: StepScope.current.get()?.name))
    } catch {
      intake.missedOne()
      reports.report("The result of the step \"\(name)\"", error)
    }
  }
}

/// Changes the results of steps before they are recorded.
struct StepRedaction: Sendable {
  let step: @Sendable (String, any Encodable & Sendable) -> (any Encodable & Sendable)?
  let error: @Sendable (String, any Error) -> String
  let isRedacting: Bool
}

/// The failure of a step as a recording has it.
struct RecordedStepFailure: Codable, Sendable {
  /// The name of the code of a ``StepError``, or that of a timeout; nil for an error of the body.
  let code: String?
  let text: String
  /// The name of the error's type; nil if it is left out.
  let type: String?
  /// The error as JSON, if it can be encoded and nothing is redacted.
  let error: String?

  init(_ error: any Error, _ redaction: StepRedaction) {
    switch error {
    case let failure as StepFailure where failure.isTimeout:
      // Its text is the library's own.
      (code, type, self.error, text) = (StepFailure.timeoutCode, nil, nil, failure.message)
    case let failure as StepFailure:
      let cause = failure.judged
      code = nil
      type = failure.typeName
      if cause is StepFailure {
        // Its error was an earlier process's, so there is none to redact.
        text = redaction.isRedacting ? failure.typeName : failure.message
      } else {
        text = redaction.error(failure.step, cause).shortened(to: 4_096)
      }
      self.error =
        redaction.isRedacting ? nil : (cause as? any Encodable).flatMap { try? JSON.text(of: $0) }
    case let error as StepError:
      // Its text is the library's own.
      (code, type, self.error, text) = (error.code.description, nil, nil, error.description)
    default:
      (code, type, self.error) = (nil, String(reflecting: Swift.type(of: error)), nil)
      text = redaction.error("", error).shortened(to: 4_096)
    }
  }

  /// The error that the step throws again.
  func error(of step: String) -> any Error {
    let payload = error.map { Array($0.utf8) }
    return StoredFailure(typeName: type ?? "", message: text, payload: payload, code: code).error(of: step, JSONSteps())
  }
}

/// Decodes the errors of recorded failures.
private final class JSONSteps: StepCoder {
  var stepLimits: StepLimits { StepLimits() }

  func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] { Array(try JSON.text(of: value).utf8) }

  func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try JSON.value(type, from: String(decoding: bytes, as: UTF8.self))
  }
}
