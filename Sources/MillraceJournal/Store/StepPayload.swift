import Foundation
import Millrace
import MillraceEntries

/// The head of an entry of the kind ``JournalEntry/Kind/step`` or ``JournalEntry/Kind/rest``.
struct StepHead: PayloadHead {
  /// The sequence of the take-up.
  let run: UInt64
  let step: StepPayload
}

/// A step of a run, as entries and snapshots have it.
struct StepPayload: Codable, Sendable {
  let name: String
  let kind: StoredStep.Kind
  /// The encoded value of a step or of a wait.
  let value: StepBytes?
  let failure: StepFailurePayload?
  /// The wall time in milliseconds since 1970 at which a sleep, or the timeout of a wait, is over.
  let due: Int64?

  init(_ step: StoredStep) {
    name = step.name
    kind = step.kind
    value = if case .value(let bytes) = step.content { StepBytes(bytes) } else { nil }
    failure = if case .failure(let failure) = step.content { StepFailurePayload(failure) } else { nil }
    due = if case .due(let time) = step.content { time } else { nil }
  }

  /// The step as the store knows it.
  var stored: StoredStep {
    if let value { return StoredStep(name, kind, .value(value.bytes)) }
    if let failure { return StoredStep(name, kind, .failure(failure.stored)) }
    return StoredStep(name, kind, due.map { .due($0) } ?? .committed)
  }
}

/// The error of a step.
struct StepFailurePayload: Codable, Sendable {
  let type: String
  let text: String
  let error: StepBytes?
  /// The name of the code of a `StepError`, or that of a timeout; nil for an error of the body.
  let code: String?

  init(_ failure: StoredFailure) {
    type = failure.typeName
    text = failure.message
    error = failure.payload.map { StepBytes($0) }
    code = failure.code
  }

  var stored: StoredFailure {
    StoredFailure(typeName: type, message: text, payload: error?.bytes, code: code)
  }
}

/// Bytes that a coder has made: a text that people can read if they are UTF-8, as those of JSON are.
struct StepBytes: Codable, Sendable {
  private let text: String?
  private let data: Data?

  init(_ bytes: [UInt8]) {
    text = String(validating: bytes, as: UTF8.self)
    data = text == nil ? Data(bytes) : nil
  }

  var bytes: [UInt8] { text.map { Array($0.utf8) } ?? data.map { Array($0) } ?? [] }
}

/// The coder of a store's journal, for the results of steps.
///
/// A value is encoded as the one element of an array, because a coder may take no value that is not a container.
extension JournalWriter {
  var stepLimits: StepLimits { log.stepLimits }

  func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] { try log.encodeStep(value) }

  func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try log.decodeStep(type, from: bytes)
  }
}

extension StoreLog {
  var stepLimits: StepLimits {
    var limits = StepLimits()
    // A result has room in an entry also where its text takes four times as many bytes there.
    limits.resultBytes = min(max(options.stepBytes, 0), min(journal.largestBatch, options.bufferedBytes / 2) / 4)
    limits.runBytes = 16 * limits.resultBytes
    return limits
  }

  /// Encodes the result of a step.
  ///
  /// - Throws: ``JournalError`` with the code ``JournalError/Code/notEncoded``.
  func encodeStep<Value: Encodable>(_ value: Value) throws(JournalError) -> [UInt8] {
    do {
      return Array(try options.coder.encode([value]))
    } catch {
      throw .notEncoded(key, "The result of a step", DecodingReason.text(of: error))
    }
  }

  /// Decodes the result of a step.
  ///
  /// - Throws: ``StoreSchema/Unreadable`` with the reason, as the middle of a sentence.
  func decodeStep<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    do {
      let values = try options.coder.decode([Value].self, from: Data(bytes))
      if let value = values.first { return value }
    } catch {
      throw StoreSchema<I>.Unreadable(reason: DecodingReason.text(of: error))
    }
    throw StoreSchema<I>.Unreadable(reason: "it is empty")
  }
}
