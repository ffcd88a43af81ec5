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
      promise.fulfilResumingLater(outcome.isFinished ? .success(read(state)) : .failure(StoreError(.ended(outcome))))
    }
  }
}
