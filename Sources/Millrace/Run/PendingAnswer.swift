/// Reads an answer from the state in which an action ends, and returns the work that resumes the caller once the lock is free, if
/// the caller waits.
@usableFromInline
typealias AnswerReader<State> = @Sendable (Outcome, State) -> LockWork?

/// The answer to a request, from its call until the caller has it.
@usableFromInline
typealias PendingAnswer<Answer: Sendable> = Promise<Result<Answer, any Error>>

/// Returns the reader that reads the answer to a request by `read`, or makes the error of an action that did not finish.
@inlinable
func answerReader<State, Answer: Sendable>(
  for answer: PendingAnswer<Answer>, _ read: @escaping @Sendable (State) -> Answer
) -> AnswerReader<State> {
  { outcome, state in
    answer.fulfilResumingLater(outcome.isFinished ? .success(read(state)) : .failure(StoreError(.ended(outcome))))
  }
}
