/// Reads an answer from the state in which an action ends, and returns the work that resumes the caller once the lock is free, if
/// the caller waits.
@usableFromInline
typealias AnswerReader<State> = @Sendable (Outcome, State) -> LockWork?

/// The answer to a request, from its call until the caller has it.
@usableFromInline
final class PendingAnswer<State: Sendable, Answer: Sendable>: Sendable {
  private let read: @Sendable (State) -> Answer
  let promise = Promise<Result<Answer, any Error>>()

  @usableFromInline
  init(_ read: @escaping @Sendable (State) -> Answer) {
    self.read = read
  }

  /// Reads the answer, or makes the error of an action that did not finish.
  @usableFromInline var reader: AnswerReader<State> {
    { [self] outcome, state in
      promise.fulfilResumingLater(outcome.isFinished ? .success(read(state)) : .failure(RequestError(outcome)))
    }
  }
}

/// How the action of a request ended, where it did not finish, so that there is no answer.
public struct RequestError: Error, Sendable, CustomStringConvertible {
  /// The outcome of the action: any but ``Outcome/finished``.
  public let outcome: Outcome

  /// Makes an error for an action that ended so.
  public init(_ outcome: Outcome) {
    self.outcome = outcome
  }

  /// The outcome as a sentence, with the fix.
  public var description: String {
    switch outcome {
    case .finished:
      "The action finished."
    case .failed(let error):
      "The action failed: \(error). Catch the error in its handler, or let its plan retry."
    case .cancelled:
      "The action was cancelled before it finished; request it again if the answer is still needed."
    case .superseded:
      "A later action of its key replaced the action; request that one, or give the plan an overlap that replaces nothing."
    case .timedOut:
      "The action did not finish within the time that its plan allows; request it again, or raise the timeout."
    case .rejected(let rejection):
      rejection.description
    case .shutDown:
      "The store was shut down before the action finished; request it before shutting the store down, or drain for longer."
    case .abandoned:
      "The action was found open after a crash and abandoned; request it again, or let its plan handle it again."
    }
  }

  /// The reason for refusing the request of a run to its own store.
  static let needsTimeout =
    "A run that waits for an action of its own store may wait for itself; give the plan of the action a `timeout`, or `send` the "
    + "action and do not wait for it."
}
