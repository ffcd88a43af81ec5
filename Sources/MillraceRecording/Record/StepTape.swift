import Millrace
import MillraceEntries

/// The steps of handlers on their way to a recorder.
struct StepTape<Keep: EntryKeeping>: StepSink {
  let intake: RecordingIntake<Keep>
  let redaction: StepRedaction
  let report: @Sendable (RecordingError) -> Void

  /// Whether a value was found that cannot be encoded.
  private let hasReported = Once()

  init(
    intake: RecordingIntake<Keep>, redaction: StepRedaction, report: @escaping @Sendable (RecordingError) -> Void
  ) {
    self.intake = intake
    self.redaction = redaction
    self.report = report
  }

  func stepHasValue(_ value: any Encodable & Sendable, _ name: String, of run: RunID) {
    record(name, run) { try redaction.step(name, value).map { .value(try JSON.text(of: $0)) } ?? .leftOut }
  }

  func stepHasFailed(_ error: any Error, _ name: String, of run: RunID) {
    record(name, run) { .failure(try JSON.text(of: RecordedStepFailure(error, text: redaction.error))) }
  }

  private func record(_ name: String, _ run: RunID, _ result: () throws -> RecordedStep.Result) {
    if intake.isOver { return }
    do {
      intake.stepped(RecordedStep(at: intake.now(), run: run, name: name, result: try result()))
    } catch {
      intake.missedOne()
      guard hasReported.isFirst() else { return }
      report(
        RecordingError(
          .unencodable,
          """
          The result of the step "\(name)" cannot be encoded: \(RecordingError.reason(ofEncoding: error)); let it encode every value. \
          The recording has a gap there, and continues.
          """))
    }
  }
}

/// Changes the results of steps before they are recorded.
struct StepRedaction: Sendable {
  let step: @Sendable (String, any Encodable & Sendable) -> (any Encodable & Sendable)?
  let error: @Sendable (String, any Error) -> String
}

/// The failure of a step as a recording has it.
struct RecordedStepFailure: Codable, Sendable {
  /// The name of the code of a ``StepError``; nil for an error of the body.
  let code: String?
  let text: String
  /// The name of the error's type; nil if it is left out.
  let type: String?

  /// - Parameter text: makes the text of an error of the step with this name.
  init(_ error: any Error, text: (String, any Error) -> String) {
    switch error {
    case let failure as StepFailure:
      (code, type) = (nil, failure.typeName)
      self.text = text(failure.step, failure.judged).shortened(to: 4_096)
    case let error as StepError:
      // Its text is the library's own.
      (code, type, self.text) = (error.code.description, nil, error.description)
    default:
      (code, type) = (nil, String(reflecting: Swift.type(of: error)))
      self.text = text("", error).shortened(to: 4_096)
    }
  }

  /// The error that the step throws again.
  func error(of step: String) -> any Error {
    StoredFailure(typeName: type ?? "", message: text, payload: nil, code: code).error(of: step, nil)
  }
}
