public import Millrace

/// A position in a recording that moves forward and back: the state at any revision, with its commit and action.
///
/// ```swift
/// var cursor = try RecordingCursor(recording)
/// try cursor.go(to: 41)
/// while cursor.step() { print(cursor.revision, cursor.state) }
/// ```
///
/// To go to a revision it begins with the nearest state before it, the recorded one or its own, and reduces from there: as many
/// mutations as the recorder let pass between two states at most. It is a value, and a copy goes its own way.
public struct RecordingCursor<I: Interactor>: Sendable where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  private let trail: Trail<I>
  private var index = 0

  /// The state at the revision.
  public private(set) var state: I.State

  /// Stands at the start of a recording.
  ///
  /// - Parameter recording: where to go; the reducer of its interactor leads from a state to the next one.
  /// - Throws: ``RecordingError`` when commits are out of order.
  public init(_ recording: Recording<I>) throws(RecordingError) {
    trail = try Trail(recording)
    state = recording.start.state
  }

  /// The revision of its position.
  public var revision: Int { trail.frames[index].revision }

  /// The time, in nanoseconds since the start of the recording.
  public var at: Int64 { trail.frames[index].at }

  /// The first and the last revision; those in gaps between are not there.
  public var revisions: ClosedRange<Int> {
    trail.frames[0].revision...trail.frames[trail.frames.count - 1].revision
  }

  /// The commit that led to the state; nil at the start.
  public var commit: RecordedCommit<I.Mutation>? { trail.commit(of: trail.frames[index]) }

  /// The action that brought that commit about; nil at the start, or if it was accepted before the recording.
  ///
  /// It is looked for from the commit backwards.
  public var action: RecordedAction<I.Action>? {
    guard let commit, let entry = trail.frames[index].commit else { return nil }
    for entry in trail.recording.entries[..<entry].reversed() {
      if case .action(let action) = entry, action.run == commit.run { return action }
    }
    return nil
  }

  /// Goes to a revision, forward or back.
  ///
  /// - Throws: ``RecordingError`` when it is not in the recording; the cursor stays where it is then.
  public mutating func go(to revision: Int) throws(RecordingError) {
    stand(at: try trail.index(of: revision))
  }

  /// Goes to the next revision; at the end it stays and returns false.
  @discardableResult
  public mutating func step() -> Bool {
    guard index + 1 < trail.frames.count else { return false }
    stand(at: index + 1)
    return true
  }

  /// Goes to the revision before; at the start it stays and returns false.
  @discardableResult
  public mutating func stepBack() -> Bool {
    guard index > 0 else { return false }
    stand(at: index - 1)
    return true
  }

  /// The states from here to the end, one after the other in their time.
  ///
  /// - Parameters:
  ///   - pace: the speed of the states.
  ///   - clock: the clock that measures the time.
  public func play(
    _ pace: PlaybackPace = .recorded(speed: 1), clock: any Clock<Duration> = ContinuousClock()
  ) -> RecordingPlayback<I> {
    RecordingPlayback(cursor: self, pace: pace, clock: clock)
  }

  private mutating func stand(at next: Int) {
    trail.move(&state, from: index, to: next)
    index = next
  }
}
