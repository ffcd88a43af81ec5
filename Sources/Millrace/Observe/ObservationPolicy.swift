/// Which states an observer gets when it is slower than the store.
public struct ObservationPolicy: Sendable, Hashable {
  @usableFromInline
  enum Kind: Sendable, Hashable {
    case latest
    case every(buffer: Int, onOverflow: GapPolicy)
    case lossless(bound: Int, limit: Int)
  }

  @usableFromInline let kind: Kind

  /// What larger numbers of commits are taken as, so that a revision and one of them can be added.
  private static let most = 1 << 48

  /// Only the newest: a slow observer skips what came between, at no cost to the store.
  public static let latest = ObservationPolicy(kind: .latest)

  /// Each state in order, as long as the observer is not too far behind.
  ///
  /// The observer replays the store's mutations on a copy of its own, so that no state is copied for it; the mutations it has
  /// not taken yet are kept for it.
  ///
  /// - Parameters:
  ///   - buffer: how many commits it may be behind; below 1 it is taken as 1, and any number is possible.
  ///   - onOverflow: what becomes of an observer that is further behind.
  public static func every(buffer: Int = 256, onOverflow: GapPolicy = .reportGap) -> ObservationPolicy {
    ObservationPolicy(kind: .every(buffer: min(max(1, buffer), most), onOverflow: onOverflow))
  }

  /// Each state in order, and the store takes on less while the observer is far behind.
  ///
  /// `bound` commits behind, `submit` suspends and `send` is rejected as ``Rejection/full``, until the observer has caught
  /// up to less; what was accepted before goes on and commits. `limit` behind, the observer ends with
  /// ``ObservationError/Code/lagged``. So nothing is skipped and nothing grows without bound.
  ///
  /// An observer that submits to the store in its own loop would wait for itself: give it another policy.
  ///
  /// - Parameters:
  ///   - bound: commits behind; below 1 it is taken as 1.
  ///   - limit: commits behind; below `bound` it is taken as that.
  public static func lossless(bound: Int = 1_024, limit: Int = 65_536) -> ObservationPolicy {
    let bound = min(max(1, bound), most)
    return ObservationPolicy(kind: .lossless(bound: bound, limit: min(max(bound, limit), most)))
  }
}
