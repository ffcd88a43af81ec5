/// The line in which runs wait that were handled at several deaths in a row, so that they are handled again one at a time.
///
/// A process that ends counts a death for each run whose handler it has started. Without the line a run that ends its process takes all
/// runs beside it to their limits. With it, a run that does not end the process makes progress alone and loses its count, and the one that does
/// reaches its limit alone.
///
/// A run has the turn from before its handler starts until it has made progress, rests or has ended, and this is durable: otherwise the next
/// run could end the process before. A run that does none of these within a minute keeps its handler and loses the turn, so that a handler
/// that hangs does not keep the others waiting for ever.
///
/// The store of `Store.open` has a line of its own, and all keys of a `Stores` share one.
@usableFromInline
package final class RecoveryLine: Sendable {
  /// The number of deaths in a row from which a run waits in the line.
  ///
  /// One death says little, because it counts for each run that was open then.
  static let firstDeaths = 2

  /// The time after which a run loses the turn, on the clock of the stores.
  static let longestTurn = Duration.seconds(60)

  /// The place of a run in the line: of the fewest deaths first, and then in the order of the take-ups.
  final class Place: Sendable {
    fileprivate let deaths: Int
    fileprivate let takenUpAt: Int64
    /// Called once, without a lock, when the run has the turn; not if it has left the line.
    fileprivate let begin: @Sendable () -> Void

    /// - Parameter takenUpAt: the wall time of the take-up, in milliseconds since 1970.
    init(deaths: Int, takenUpAt: Int64, begin: @escaping @Sendable () -> Void) {
      self.deaths = deaths
      self.takenUpAt = takenUpAt
      self.begin = begin
    }

    fileprivate func isBehind(_ other: Place) -> Bool {
      (deaths, takenUpAt) > (other.deaths, other.takenUpAt)
    }
  }

  private struct Content {
    /// The places that wait, the first one last.
    var waiting: [Place] = []
    var current: Place?
    /// The task that ends the turn of the current one.
    var end: Task<Void, Never>?
    /// Whether a thread gives the turn, so that another one leaves that to it.
    var isGiving = false
    /// Whether no turn is given yet.
    var isHeld: Bool
  }

  private let content: Lock<Content>
  private let time: TimeSource

  /// - Parameters:
  ///   - clock: the clock on which a turn ends.
  ///   - isHeld: whether no turn is given before ``open()``, so that the runs of many logs can join first.
  package init(on clock: any Clock<Duration>, isHeld: Bool = false) {
    content = Lock(Content(isHeld: isHeld))
    time = TimeSource(clock)
  }

  /// Gives turns from now on; called without a lock, once or several times.
  package func open() {
    content.withLock { $0.isHeld = false }
    giveTurn()
  }

  /// Adds a place behind all that do not come after it; ``giveTurn()`` is to be called then, without a lock.
  func join(_ place: Place) {
    content.withLock { content in
      var (low, high) = (0, content.waiting.count)
      while low < high {
        let middle = (low + high) / 2
        if content.waiting[middle].isBehind(place) { low = middle + 1 } else { high = middle }
      }
      content.waiting.insert(place, at: low)
    }
  }

  /// Removes a place, whether it waits or has the turn, and gives the turn to the next one; called without a lock.
  func leave(_ place: Place) {
    let end = content.withLock { content in
      if content.current === place {
        content.current = nil
        return content.end.take()
      }
      if let index = content.waiting.firstIndex(where: { $0 === place }) { content.waiting.remove(at: index) }
      return nil
    }
    end?.cancel()
    giveTurn()
  }

  /// Gives the turn to the first place, if no other one has it.
  func giveTurn() {
    while let next = takeNext() {
      next.begin()
      content.withLock { $0.isGiving = false }
    }
  }

  private func takeNext() -> Place? {
    content.withLock { content in
      // A place that ends at once gives the turn in its own call, of which a thousand would fill the stack.
      guard !content.isHeld, !content.isGiving, content.current == nil, let next = content.waiting.popLast() else {
        return nil
      }
      content.isGiving = true
      content.current = next
      content.end = Task.detached { [self] in
        try? await time.sleep(until: time.now() &+ Self.longestTurn.nanoseconds)
        if !Task.isCancelled { leave(next) }
      }
      return next
    }
  }
}
