/// How the actions of one key meet: who holds its permits, and what becomes of one that comes.
///
/// A permit is held from the take-up of an action until it has ended and its handlers have returned.
struct OverlapState {
  /// What becomes of an action that comes.
  enum Arrival: Hashable {
    /// It is taken up at once.
    case takeUp
    /// It waits behind those that wait, and is taken up as soon as there is a permit.
    case wait
    /// It is rejected.
    case reject
    /// It joins the run that is in flight.
    case join
    /// The earlier ones are ended, then it is taken up at once.
    case replace
  }

  /// How many permits are held.
  private(set) var taken = 0

  /// How many permits there are: by the newest plan that says it.
  private var maximum = Int.max

  /// How many there are whatever the plans say.
  var limit: Int?

  /// An action of the key comes.
  ///
  /// - Parameters:
  ///   - live: how many of the key have not ended.
  ///   - canJoin: whether one of them may be joined.
  mutating func arrive(_ overlap: Overlap, live: Int, canJoin: Bool) -> Arrival {
    switch overlap {
    case .concurrent(let max):
      maximum = max
      return .wait
    case .latest: return live > 0 ? .replace : .takeUp
    case .exclusive: return live > 0 ? .reject : .takeUp
    case .shared: return canJoin ? .join : .takeUp
    }
  }

  /// Whether the next one that waits may be taken up.
  var hasPermit: Bool { taken < (limit ?? maximum) }

  /// An action is taken up.
  mutating func take() {
    taken += 1
  }

  /// An action has ended, and its handlers have returned.
  mutating func release() {
    taken -= 1
  }
}
