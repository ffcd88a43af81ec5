/// The failure of a step: the error that its body threw with its last call, or that its time was over, as it is stored.
///
/// A step that has failed throws the same failure each time, also after a crash, so that a handler takes the same branch again. A handler
/// that does not catch it ends its run as ``Outcome/failed(_:)``, without another attempt of the plan.
public struct StepFailure: Error, Sendable, CustomStringConvertible {
  /// The name of the step.
  public let step: String

  /// The full name of the error's type; that of this type if ``isTimeout`` is true.
  public let typeName: String

  /// The error in words, of at most 4,096 characters.
  public let message: String

  /// Whether the last call of the body, or the wait, took longer than its timeout.
  ///
  /// The gateway of the body may have done its work nevertheless.
  public let isTimeout: Bool

  /// The error, or its bytes.
  enum Payload: Sendable {
    case error(any Error)
    case encoded([UInt8], any StepCoder)
    /// The error cannot be encoded.
    case missing
  }

  let payload: Payload

  /// The longest text of an error, in characters.
  static var longestMessage: Int { 4_096 }

  /// The code by which a stored failure is told to be a timeout.
  package static var timeoutCode: String { "timedOut" }

  /// The failure of a body that threw in this process.
  init(_ error: any Error, of step: String) {
    self.step = step
    typeName = String(reflecting: type(of: error))
    message = String("\(error)".prefix(StepFailure.longestMessage))
    payload = .error(error)
    isTimeout = false
  }

  /// The failure of a step whose time was over.
  fileprivate init(timeoutOf step: String, _ message: String) {
    self.step = step
    typeName = String(reflecting: StepFailure.self)
    self.message = message
    payload = .missing
    isTimeout = true
  }

  /// The failure of a call that took too long.
  static func timedOut(_ step: String, after timeout: Duration) -> StepFailure {
    StepFailure(
      timeoutOf: step,
      "The step \(step.debugDescription) took longer than its timeout of \(timeout); raise it, or see why the gateway does not answer."
    )
  }

  /// The failure of a wait that took too long.
  static func noValue(_ step: String, in timeout: Duration) -> StepFailure {
    StepFailure(
      timeoutOf: step,
      "The wait \(step.debugDescription) saw no state with a value within its timeout of \(timeout); raise it, or catch this error."
    )
  }

  /// The failure as it was stored.
  fileprivate init(_ stored: StoredFailure, of step: String, _ coder: (any StepCoder)?) {
    self.step = step
    isTimeout = false
    typeName = stored.typeName
    message = stored.message
    if let bytes = stored.payload, let coder { payload = .encoded(bytes, coder) } else { payload = .missing }
  }

  /// The error, if it is of this type; after a crash only if the type still has its name, and decodes what was stored.
  public func error<Failure: Error & Codable>(as type: Failure.Type = Failure.self) -> Failure? {
    switch payload {
    case .error(let error): error as? Failure
    case .encoded(let bytes, let coder):
      typeName == String(reflecting: type) ? try? coder.decode(type, from: bytes) : nil
    case .missing: nil
    }
  }

  /// The error that a breaker judges: the body's, as far as this process has it.
  package var judged: any Error {
    if case .error(let error) = payload { error } else { self }
  }

  /// The step and the error in words.
  public var description: String { isTimeout ? message : "The step \(step.debugDescription) failed: \(message)" }
}

/// The error of a step that cannot be begun, or whose result cannot be stored or read.
///
/// A handler that does not catch it ends its run as ``Outcome/failed(_:)``, without another attempt of the plan. With ``Code/unreadable`` and
/// ``Code/otherKind`` the store ends the run itself, and the handler cannot catch them.
public struct StepError: Error, Sendable, CustomStringConvertible {
  /// The kinds of errors; later versions may add some.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    let name: String

    /// The name of the kind.
    public var description: String { name }

    /// The name was used before in the same attempt.
    public static let duplicate = Code(name: "duplicate")

    /// The stored result cannot be decoded as the type that the handler asks for, which ends the run.
    public static let unreadable = Code(name: "unreadable")

    /// The name is stored for another kind of step, which ends the run.
    public static let otherKind = Code(name: "otherKind")

    /// The result was larger than the journal stores for one step, or for one run; the body is not called again.
    public static let tooLarge = Code(name: "tooLarge")

    /// The run has as many steps, or as many bytes of results, as one run may have; the body was not called.
    public static let tooMany = Code(name: "tooMany")

    /// Whether the step ends its run, because the handler is not the one that stored the steps.
    package var endsRun: Bool { self == .unreadable || self == .otherKind }
  }

  /// The kind.
  public let code: Code

  /// The name of the step.
  public let step: String

  /// The error as a sentence that says the fix.
  public let description: String

  init(_ code: Code, _ step: String, _ description: String) {
    self.code = code
    self.step = step
    self.description = description
  }

  static func duplicate(_ step: String) -> StepError {
    StepError(
      .duplicate, step,
      "The step \(step.debugDescription) was begun a second time in one attempt of its handler; give each step of a run a name of its own, "
        + "which has the id of its item, or of its child, where there are several.")
  }

  static func unreadable(_ step: String, as type: any Any.Type, _ reason: String) -> StepError {
    StepError(
      .unreadable, step,
      "The stored result of the step \(step.debugDescription) cannot be read as \(String(reflecting: type)): \(reason); a step "
        + "with a new meaning or another type needs a new name.")
  }

  static func otherKind(_ step: String, _ asked: StoredStep.Kind, stored: StoredStep.Kind) -> StepError {
    StepError(
      .otherKind, step,
      "The step \(step.debugDescription) is stored as a \(stored.words), and the handler asks for a \(asked.words) of that name; give "
        + "one of them a new name.")
  }

  static func tooLarge(_ step: String, _ count: Int, limit: Int) -> StepError {
    StepError(
      .tooLarge, step,
      "The result of the step \(step.debugDescription) has \(count) bytes, and at most \(limit) are stored; return less, or a "
        + "reference to the document. The run keeps this failure, also when it is handled again.")
  }

  static func tooLarge(_ step: String, inRunOf limit: Int) -> StepError {
    StepError(
      .tooLarge, step,
      "With the result of the step \(step.debugDescription) those of its run would have more than \(limit) bytes; return references in "
        + "place of documents, or let the handler send the next action for the rest.")
  }

  static func tooMany(_ step: String, limit: Int) -> StepError {
    StepError(
      .tooMany, step,
      "The step \(step.debugDescription) was not begun, because its run has \(limit) steps already; let a long loop send the next "
        + "action for the rest.")
  }

  static func tooMany(_ step: String, bytes limit: Int) -> StepError {
    StepError(
      .tooMany, step,
      "The step \(step.debugDescription) was not begun, because the results of its run have \(limit) bytes already; return references "
        + "in place of documents, or let the handler send the next action for the rest.")
  }
}

extension StoredFailure {
  /// The error that the step throws.
  package func error(of step: String, _ coder: (any StepCoder)?) -> any Error {
    guard let code else { return StepFailure(self, of: step, coder) }
    // A version that threw a `StepError` for a timeout has stored the same.
    if code == StepFailure.timeoutCode { return StepFailure(timeoutOf: step, message) }
    return StepError(StepError.Code(name: code), step, message)
  }
}
