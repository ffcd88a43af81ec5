package import Millrace

/// An event of a recording for a page, with values as texts.
package enum RecordingEvent: Sendable, Equatable {
  /// An action was accepted, or rejected before that; `name` is its type, without what it carries.
  case action(at: Int64, run: RunID, parent: RunID?, isAccepted: Bool, name: String, text: String)

  /// A gateway has replied.
  case call(at: Int64, took: Int64, name: String)

  /// A mutation was committed; the difference of the states before and after is nil where that is not known.
  case commit(at: Int64, revision: Int, run: RunID, text: String, difference: [String]?)

  /// A run rests before its next attempt.
  case rest(at: Int64)

  /// A step of a run has its result.
  case step(at: Int64, run: RunID, name: String, text: String, isFailure: Bool)

  /// An action has its outcome; the error is the text of the error that it ended with.
  case end(at: Int64, run: RunID, outcome: Outcome.Kind, error: String? = nil)

  /// A state was recorded; the difference from the one recorded before it is nil where it says nothing new.
  case state(at: Int64, revision: Int, difference: [String]?)

  /// The number of missing entries; 0 if it is not known.
  case gap(at: Int64, missed: Int)

  /// The time of the event, in nanoseconds since the start of the recording.
  var at: Int64 {
    switch self {
    case .action(let at, _, _, _, _, _), .call(let at, _, _), .commit(let at, _, _, _, _), .rest(let at),
      .step(let at, _, _, _, _), .end(let at, _, _, _), .state(let at, _, _), .gap(let at, _):
      at
    }
  }
}
