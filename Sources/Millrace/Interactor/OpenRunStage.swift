/// The stage of an open run: its work, or the event that it waits for.
public enum OpenRunStage: Sendable, Hashable, CustomStringConvertible {
  /// The run waits for the end of its debounce or throttle.
  case pace
  /// The run waits for the turn of its key, or for its turn among the runs that are handled again one at a time.
  case turn
  /// The run waits for a slot of the store, or for the permits of its limits.
  case slot
  /// The run waits until its take-up and the count of its deaths are durable, before its handler starts.
  case durability
  /// A handler is out.
  case running
  /// The run waits for its next attempt.
  case nextAttempt
  /// The body of a step with this name is out; of a run whose steps are stored.
  case step(String)
  /// The handler sleeps in a step until a wall time, in milliseconds since 1970.
  case sleep(String, until: Int64)
  /// The handler waits for a state in a step, until a wall time if the wait has a timeout.
  case condition(String, until: Int64?)
  /// The program cannot decode the action, for this reason; the run stays open in the log.
  case unreadable(String)

  /// The groups that ``Metrics/openRuns`` counts.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The run waits for the end of its debounce or throttle.
    case pace
    /// The run waits for the turn of its key, or for its turn among the runs that are handled again one at a time.
    case turn
    /// The run waits for a slot or permits, before its handler starts.
    case slot
    /// A handler is out, or the run waits for its next attempt, or until its take-up is durable.
    case running
    /// The handler sleeps or waits in a step, without a slot, or the run waits for a slot again.
    case resting
    /// The program cannot decode the action.
    case unreadable
  }

  /// The stage in words.
  public var description: String {
    switch self {
    case .pace: "waits for the end of its debounce or throttle"
    case .turn: "waits for its turn"
    case .slot: "waits for a slot"
    case .durability: "waits until its take-up is durable"
    case .running: "runs"
    case .nextAttempt: "waits for its next attempt"
    case .step(let name): "is in the step \(name.debugDescription)"
    case .sleep(let name, let time): "sleeps in \(name.debugDescription) until \(time) ms"
    case .condition(let name, let time):
      "waits for a state in \(name.debugDescription)\(time.map { " until \($0) ms" } ?? "")"
    case .unreadable(let reason): "cannot be decoded: \(reason)"
    }
  }
}
