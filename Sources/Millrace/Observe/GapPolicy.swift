/// What becomes of an observer of every state that is further behind than its buffer.
@frozen
public enum GapPolicy: Sendable, Hashable {
  /// It goes on from the newest state, which says how many it missed.
  case reportGap

  /// It gets what it has taken, then ends with ``ObservationError/Code/overflowed``.
  case disconnect
}
