import Millrace

/// Counts the handlers of actions that are out.
final class Handlers: Sendable {
  /// The current and the largest number of handlers for each overlap.
  struct Tally {
    private(set) var now: [SimulatedAction.Overlap: Int] = [:]
    private(set) var most: [SimulatedAction.Overlap: Int] = [:]

    mutating func add(_ overlap: SimulatedAction.Overlap) {
      now[overlap, default: 0] += 1
      most[overlap] = max(most[overlap] ?? 0, now[overlap] ?? 0)
    }

    mutating func remove(_ overlap: SimulatedAction.Overlap) {
      now[overlap, default: 0] -= 1
    }
  }

  fileprivate struct Place: Hashable {
    let action: Int
    let attempt: Int
  }

  struct Counts {
    /// SimulatedInteractor with handlers out; those of attempts that were given up may be out beside that of the next attempt.
    var out = Tally()
    /// Handlers that were not cancelled.
    var heard = Tally()
    var all = 0
    var mostOfAll = 0
    /// The number of handlers that were begun for each action.
    var begun: [Int: Int] = [:]
    /// The newest attempt at each that was begun.
    var newest: [Int: Int] = [:]
    fileprivate var outOf: [Int: Int] = [:]
    fileprivate var cancelled: Set<Place> = []
  }

  private let state = Lock(Counts())

  var counts: Counts { state.withLock { $0 } }

  func begin(_ action: SimulatedAction, _ attempt: Int) {
    state.withLock {
      $0.begun[action.number, default: 0] += 1
      $0.newest[action.number] = attempt
      $0.heard.add(action.overlap)
      $0.outOf[action.number, default: 0] += 1
      guard $0.outOf[action.number] == 1 else { return }
      $0.out.add(action.overlap)
      $0.all += 1
      $0.mostOfAll = max($0.mostOfAll, $0.all)
    }
  }

  func cancel(_ action: SimulatedAction, _ attempt: Int) {
    state.withLock {
      $0.heard.remove(action.overlap)
      $0.cancelled.insert(Place(action: action.number, attempt: attempt))
    }
  }

  func end(_ action: SimulatedAction, _ attempt: Int) {
    state.withLock {
      if $0.cancelled.remove(Place(action: action.number, attempt: attempt)) == nil { $0.heard.remove(action.overlap) }
      $0.outOf[action.number, default: 0] -= 1
      guard $0.outOf[action.number] == 0 else { return }
      $0.outOf[action.number] = nil
      $0.out.remove(action.overlap)
      $0.all -= 1
    }
  }
}
