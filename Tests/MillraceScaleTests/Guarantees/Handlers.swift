import Millrace

/// Counts the handlers of errands that are out.
final class Handlers: Sendable {
  /// The current and the largest number of handlers for each overlap.
  struct Tally {
    private(set) var now: [Errand.Meeting: Int] = [:]
    private(set) var most: [Errand.Meeting: Int] = [:]

    mutating func add(_ meeting: Errand.Meeting) {
      now[meeting, default: 0] += 1
      most[meeting] = max(most[meeting] ?? 0, now[meeting] ?? 0)
    }

    mutating func remove(_ meeting: Errand.Meeting) {
      now[meeting, default: 0] -= 1
    }
  }

  fileprivate struct Place: Hashable {
    let errand: Int
    let attempt: Int
  }

  struct Counts {
    /// Errands with handlers out; those of attempts that were given up may be out beside that of the next attempt.
    var out = Tally()
    /// Handlers that were not cancelled.
    var heard = Tally()
    var all = 0
    var mostOfAll = 0
    /// The number of handlers that were begun for each errand.
    var begun: [Int: Int] = [:]
    /// The newest attempt at each that was begun.
    var newest: [Int: Int] = [:]
    fileprivate var outOf: [Int: Int] = [:]
    fileprivate var cancelled: Set<Place> = []
  }

  private let state = Lock(Counts())

  var counts: Counts { state.withLock { $0 } }

  func begin(_ errand: Errand, _ attempt: Int) {
    state.withLock {
      $0.begun[errand.number, default: 0] += 1
      $0.newest[errand.number] = attempt
      $0.heard.add(errand.meeting)
      $0.outOf[errand.number, default: 0] += 1
      guard $0.outOf[errand.number] == 1 else { return }
      $0.out.add(errand.meeting)
      $0.all += 1
      $0.mostOfAll = max($0.mostOfAll, $0.all)
    }
  }

  func cancel(_ errand: Errand, _ attempt: Int) {
    state.withLock {
      $0.heard.remove(errand.meeting)
      $0.cancelled.insert(Place(errand: errand.number, attempt: attempt))
    }
  }

  func end(_ errand: Errand, _ attempt: Int) {
    state.withLock {
      if $0.cancelled.remove(Place(errand: errand.number, attempt: attempt)) == nil { $0.heard.remove(errand.meeting) }
      $0.outOf[errand.number, default: 0] -= 1
      guard $0.outOf[errand.number] == 0 else { return }
      $0.outOf[errand.number] = nil
      $0.out.remove(errand.meeting)
      $0.all -= 1
    }
  }
}
