public import Millrace

/// The states of a recording, one after the other in their time.
///
/// **Order.** The first element is the state where the cursor stood, at once; then each later one, none before its time. A slow
/// loop gets each of them, and no pause while it is behind. `Snapshot.missed` counts revisions in a gap.
///
/// **Cancellation.** In a cancelled task the sequence ends.
public struct RecordingPlayback<I: Interactor>: AsyncSequence, Sendable
where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  /// A state with its revision.
  public typealias Element = Snapshot<I.State>

  /// States do not fail.
  public typealias Failure = Never

  let cursor: RecordingCursor<I>
  let pace: PlaybackPace
  let clock: any Clock<Duration>

  /// Begins where the cursor stood.
  public func makeAsyncIterator() -> Iterator {
    Iterator(cursor: cursor, pace: pace, time: TimeSource(clock))
  }

  /// A running playback.
  public struct Iterator: AsyncIteratorProtocol {
    private var cursor: RecordingCursor<I>
    private let pace: PlaybackPace
    private let time: TimeSource
    private let first: Int64
    private var start: Int64?
    private var steps = 0

    fileprivate init(cursor: RecordingCursor<I>, pace: PlaybackPace, time: TimeSource) {
      self.cursor = cursor
      self.pace = pace
      self.time = time
      first = cursor.at
    }

    /// Returns the next state when its time has come; nil at the end, and in a cancelled task.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Snapshot<I.State>? {
      guard !Task.isCancelled else { return nil }
      guard let start else {
        start = time.now()
        return Snapshot(revision: cursor.revision, state: cursor.state)
      }
      let last = cursor.revision
      guard cursor.step() else { return nil }
      steps += 1
      let due = start + pace.offset(at: cursor.at, from: first, steps: steps)
      if due > time.now() {
        do { try await time.sleep(until: due) } catch { return nil }
      }
      return Snapshot(revision: cursor.revision, state: cursor.state, missed: cursor.revision - last - 1)
    }

    /// Returns the next state when its time has come; nil at the end, and in a cancelled task.
    public mutating func next() async -> Snapshot<I.State>? {
      await next(isolation: #isolation)
    }
  }
}

@available(*, unavailable)
extension RecordingPlayback.Iterator: Sendable {}

/// The speed at which the states of a recording come.
public enum PlaybackPace: Sendable, Hashable {
  /// The recorded speed, or a multiple of it; a speed that is not above 0 delivers the states at once.
  case recorded(speed: Double)

  /// One in each duration.
  case every(Duration)

  /// Nanoseconds from the first state to the one at `at`, `steps` states later.
  func offset(at: Int64, from first: Int64, steps: Int) -> Int64 {
    switch self {
    case .recorded(let speed):
      let offset = Double(max(0, at - first)) / speed
      return speed > 0 && offset < Double(Int64.max / 4) ? Int64(offset) : speed > 0 ? Int64.max / 4 : 0
    case .every(let duration):
      let (offset, isTooLarge) = duration.nanoseconds.multipliedReportingOverflow(by: Int64(steps))
      return isTooLarge ? Int64.max / 4 : min(offset, Int64.max / 4)
    }
  }
}
