/// How an action ended: every action given to a store has exactly one.
@frozen
public enum Outcome: Sendable {
  /// All its mutations are committed.
  case finished

  /// Its handler threw this error; what it had committed stays.
  case failed(any Error)

  /// It was cancelled by its receipt, or together with all others.
  case cancelled

  /// It was not taken, or was decided against.
  case rejected(Rejection)

  /// The store was shut down, or released, before it had ended.
  case shutDown

  /// Whether this is `finished`.
  @inlinable var isFinished: Bool {
    if case .finished = self { true } else { false }
  }

  /// Whether the action was ended from outside while its handler may go on.
  @inlinable var isCut: Bool {
    switch self {
    case .cancelled, .shutDown: true
    case .finished, .failed, .rejected: false
    }
  }

  /// The outcome without its payload, for comparing and counting.
  public var kind: Kind {
    switch self {
    case .finished: .finished
    case .failed: .failed
    case .cancelled: .cancelled
    case .rejected: .rejected
    case .shutDown: .shutDown
    }
  }

  /// The outcomes without their payloads.
  public enum Kind: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// See ``Outcome/finished``.
    case finished
    /// See ``Outcome/failed(_:)``.
    case failed
    /// See ``Outcome/cancelled``.
    case cancelled
    /// See ``Outcome/rejected(_:)``.
    case rejected
    /// See ``Outcome/shutDown``.
    case shutDown

    /// The name of the case.
    public var description: String { rawValue }
  }
}

extension Outcome: CustomStringConvertible {
  /// The outcome in words, with the error it carries.
  public var description: String {
    switch self {
    case .finished: "finished"
    case .failed(let error): "failed: \(error)"
    case .cancelled: "cancelled"
    case .rejected(let rejection): "rejected: \(rejection)"
    case .shutDown: "ended by the shutdown of its store"
    }
  }
}
