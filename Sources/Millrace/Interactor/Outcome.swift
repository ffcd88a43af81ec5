/// The end of an action; each action that is given to a store has exactly one outcome.
///
/// Only ``failed(_:)`` says that a handler has begun, unless its error is a journal's. Every other outcome may end an action whose handler
/// never ran, too: an action that `decide` finished, that waited for its key, or that was refused.
@frozen
public enum Outcome: Sendable {
  /// All its mutations are committed.
  case finished

  /// Its handler threw this error; of several attempts, the last one did. What the action committed stays.
  case failed(any Error)

  /// The action was cancelled: by its receipt, by its key, or together with all others.
  case cancelled

  /// A later action of its key replaced it. Its task is cancelled, what it emits later is dropped, and what it committed stays.
  case superseded

  /// The timeout of its ``Plan`` has passed. It begins when the action is accepted, so that the time of waiting counts.
  case timedOut

  /// The action was not accepted, found no room to wait or an open breaker, or was rejected by its decision.
  ///
  /// Its handler has not begun, but for a shared run that overflow drops with the last action that joined it.
  case rejected(Rejection)

  /// The store was shut down, or the last reference to it was released, before the action had ended.
  case shutDown

  /// The action was open in a journal after a crash, and its plan does not ask for it to be handled again.
  case abandoned

  /// The store was shut down, and the action stays open in its journal, because its plan asks for it to be handled again.
  ///
  /// This process waits for it no longer. It continues when the store is opened again; an action that is sent again is the same one only
  /// with its idempotency key.
  case leftOpen

  /// Whether this is `finished`.
  @inlinable var isFinished: Bool {
    if case .finished = self { true } else { false }
  }

  /// Whether the end cancels the task of a handler that may still be running.
  ///
  /// A shared run ends as `rejected(.full)` when overflow drops its last member.
  @inlinable var cancelsHandler: Bool {
    switch self {
    case .cancelled, .superseded, .timedOut, .shutDown, .leftOpen, .rejected(.full): true
    case .finished, .failed, .rejected, .abandoned: false
    }
  }

  /// The outcome without its payload, for comparing and counting.
  @inlinable public var kind: Kind {
    switch self {
    case .finished: .finished
    case .failed: .failed
    case .cancelled: .cancelled
    case .superseded: .superseded
    case .timedOut: .timedOut
    case .rejected: .rejected
    case .shutDown: .shutDown
    case .abandoned: .abandoned
    case .leftOpen: .leftOpen
    }
  }

  /// The rejection, with its reason; nil for every other outcome.
  @inlinable public var rejection: Rejection? {
    if case .rejected(let rejection) = self { rejection } else { nil }
  }

  /// The kind of the rejection, for comparing and counting; nil for every other outcome.
  ///
  /// ```swift
  /// #expect(await store.send(.export).outcome.rejectionKind == .exclusive)
  /// ```
  @inlinable public var rejectionKind: Rejection.Kind? { rejection?.kind }

  /// The outcomes without their payloads.
  @frozen
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// See ``Outcome/finished``.
    case finished
    /// See ``Outcome/failed(_:)``.
    case failed
    /// See ``Outcome/cancelled``.
    case cancelled
    /// See ``Outcome/superseded``.
    case superseded
    /// See ``Outcome/timedOut``.
    case timedOut
    /// See ``Outcome/rejected(_:)``.
    case rejected
    /// See ``Outcome/shutDown``.
    case shutDown
    /// See ``Outcome/abandoned``.
    case abandoned
    /// See ``Outcome/leftOpen``.
    case leftOpen

    /// The name of the case.
    package var rawValue: String { "\(self)" }

    /// The kind of this name, or nil.
    package init?(rawValue: String) {
      guard let kind = Kind.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
      self = kind
    }
  }
}

extension Outcome: CustomStringConvertible {
  /// The outcome in words, with the error it carries.
  public var description: String {
    switch self {
    case .finished: "finished"
    case .failed(let error): "failed: \(error)"
    case .cancelled: "cancelled"
    case .superseded: "superseded by a later action of its key"
    case .timedOut: "timed out"
    case .rejected(let rejection): "rejected: \(rejection)"
    case .shutDown: "ended by the shutdown of its store"
    case .abandoned: "abandoned: it was found open after a crash"
    case .leftOpen: "left open by the shutdown of its store, which continues it when it is opened again"
    }
  }
}
