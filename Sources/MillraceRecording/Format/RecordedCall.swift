import Foundation
public import Millrace

/// A call to a gateway, once it has its reply.
public struct RecordedCall: Sendable, Hashable {
  /// The time of the reply, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The duration of the call, in nanoseconds.
  public let took: Int64

  /// The run that called; nil for a call from outside of any run.
  public let run: RunID?

  /// The name of the call, as it was given to `GatewayTape.call`.
  public let name: String

  /// The request as JSON with sorted keys, redacted if there was a redaction.
  public let request: String

  /// The result of the call.
  public let reply: RecordedReply

  /// The step of the run whose body made the call; nil for a call outside of steps.
  public let step: String?

  /// The attempt of the run that did that step, counted from 1; 1 for a call outside of steps.
  public let attempt: Int

  /// A call with its reply.
  public init(
    at: Int64, took: Int64, run: RunID?, name: String, request: String, reply: RecordedReply, step: String? = nil,
    attempt: Int = 1
  ) {
    self.at = at
    self.took = took
    self.run = run
    self.name = name
    self.request = request
    self.reply = reply
    self.step = step
    self.attempt = attempt
  }
}

/// The result of a call to a gateway.
public enum RecordedReply: Sendable, Hashable {
  /// A reply, as JSON with sorted keys.
  case reply(String)

  /// An error of the type that the call names, as JSON with sorted keys.
  case failure(String)

  /// An error of another type, as a text; `Swift.CancellationError` where the gateway threw that without a cancellation.
  case error(String)

  /// The task of the call was cancelled, and the call threw `CancellationError`.
  case cancelled
}

extension RecordedReply {
  /// A `CancellationError` of the gateway's own.
  static let ownCancellation = RecordedReply.error("Swift.CancellationError")
}

/// The kind of the error, without its payload.
enum ErrorKind {
  /// The name of the error's type with its module, and its case or its code if it has one.
  static func text(of error: any Error) -> String {
    let type = type(of: error)
    let name = TypeNames.name(of: type)
    if let error = error as? any CustomNSError { return "\(name) \(error.errorCode)" }
    let kind = CaseName.of(error)
    return kind == CaseName.name(of: type) ? name : "\(name).\(kind)"
  }
}

extension RecordingError {
  /// The reason for which a value cannot be encoded: by types and paths alone, so that the reader does not learn the value.
  package static func reason(ofEncoding error: any Error) -> String {
    guard case EncodingError.invalidValue(let value, let context) = error else {
      return "\(ErrorKind.text(of: error)) was thrown"
    }
    let keys = context.codingPath.map(name).joined(separator: ".")
    let type = TypeNames.name(of: Swift.type(of: value))
    return keys.isEmpty ? "a value of \(type) has no JSON" : "\"\(keys)\", a value of \(type), has no JSON"
  }

  /// A step of a coding path: the key of a dictionary is a value too.
  private static func name(_ key: any CodingKey) -> String {
    if let index = key.intValue { return "[\(index)]" }
    return Mirror(reflecting: key).displayStyle == .enum ? key.stringValue : "[…]"
  }
}
