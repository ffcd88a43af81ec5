import Millrace

/// Counts the handlers of errands that are out.
final class Handlers: Sendable {
  /// How many there are, of each way to meet, and how many there were at most.
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

  struct Counts {
    var out = Tally()
    /// Those that were not cancelled.
    var heard = Tally()
    var all = 0
    var mostOfAll = 0
    /// How often one was begun for an errand.
    var begun: [Int: Int] = [:]
    fileprivate var cancelled: Set<Int> = []
  }

  private let state = Lock(Counts())

  var counts: Counts { state.withLock { $0 } }

  func begin(_ errand: Errand) {
    state.withLock {
      $0.out.add(errand.meeting)
      $0.heard.add(errand.meeting)
      $0.all += 1
      $0.mostOfAll = max($0.mostOfAll, $0.all)
      $0.begun[errand.number, default: 0] += 1
    }
  }

  func cancel(_ errand: Errand) {
    state.withLock {
      $0.heard.remove(errand.meeting)
      $0.cancelled.insert(errand.number)
    }
  }

  func end(_ errand: Errand) {
    state.withLock {
      $0.out.remove(errand.meeting)
      if $0.cancelled.remove(errand.number) == nil { $0.heard.remove(errand.meeting) }
      $0.all -= 1
    }
  }
}
