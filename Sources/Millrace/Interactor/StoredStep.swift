/// A step of a run as a journal stores it.
@usableFromInline
package struct StoredStep: Sendable {
  /// The kinds of steps, with the names that the log has.
  @usableFromInline
  package enum Kind: String, Sendable, Codable {
    case step, sleep, wait, once

    var words: String {
      switch self {
      case .step: "step"
      case .sleep: "sleep"
      case .wait: "wait"
      case .once: "mutation that is emitted once"
      }
    }
  }

  package enum Content: Sendable {
    /// The encoded value of a step or a wait.
    case value([UInt8])
    case failure(StoredFailure)
    /// A mutation was committed.
    case committed
    /// The wall time in milliseconds at which a sleep, or the timeout of a wait, is over.
    case due(Int64)
  }

  package let name: String
  package let kind: Kind
  package let content: Content

  package init(_ name: String, _ kind: Kind, _ content: Content) {
    self.name = name
    self.kind = kind
    self.content = content
  }

  /// The number of bytes of its result.
  var byteCount: Int {
    switch content {
    case .value(let bytes): bytes.count
    case .failure(let failure): failure.payload?.count ?? 0
    case .committed, .due: 0
    }
  }
}

/// The error of a step as a journal stores it.
package struct StoredFailure: Sendable {
  package let typeName: String
  package let message: String

  /// The encoded error, if its type is `Codable`.
  package let payload: [UInt8]?

  /// The name of the code of a ``StepError``, or ``StepFailure/timeoutCode``; nil for an error of the body.
  package let code: String?

  package init(typeName: String, message: String, payload: [UInt8]?, code: String?) {
    self.typeName = typeName
    self.message = message
    self.payload = payload
    self.code = code
  }
}

/// Encodes the results of steps, without the store's lock.
@usableFromInline
package protocol StepCoder: AnyObject, Sendable {
  var stepLimits: StepLimits { get }

  /// - Throws: the error with which the run ends.
  func encode<Value: Encodable>(_ value: Value) throws -> [UInt8]

  func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value
}

/// The limits of the steps of a run.
@usableFromInline
package struct StepLimits: Sendable {
  /// The number of bytes of one result.
  package var resultBytes = 1 << 20

  /// The number of bytes of all results of a run.
  package var runBytes = 1 << 24

  /// The number of steps of a run.
  package var count = 10_000

  package init() {}
}
