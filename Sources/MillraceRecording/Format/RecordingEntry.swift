/// Something that happened in a store that is recorded; a line of the file.
public enum RecordingEntry<Action: Sendable, Mutation: Sendable, State: Sendable>: Sendable {
  /// An action was accepted, or rejected before that.
  case action(RecordedAction<Action>)

  /// A gateway has replied.
  case call(RecordedCall)

  /// A mutation was committed.
  case commit(RecordedCommit<Mutation>)

  /// A run rests before its next attempt.
  case rest(RecordedRest)

  /// An action has its outcome.
  case end(RecordedEnd)

  /// The state that the commits before have led to.
  case state(RecordedState<State>)

  /// Something happened that could not be recorded.
  case gap(RecordedGap)
}

extension RecordingEntry {
  /// The time of the entry, in nanoseconds since the start of the recording.
  public var at: Int64 {
    switch self {
    case .action(let action): action.at
    case .call(let call): call.at
    case .commit(let commit): commit.at
    case .rest(let rest): rest.at
    case .end(let end): end.at
    case .state(let state): state.at
    case .gap(let gap): gap.at
    }
  }
}
