import Millrace
import Synchronization

/// An action with a plan; its handler is loading, one yield, loaded.
///
/// Its end is committed twice where a run is superseded between the commit of its last mutation and the return of its
/// handler: the closing mutation cannot know of that commit. So the action counts its arrival itself, once.
final class PlannedAction: Sendable {
  let overlap: Overlap
  let key: Int
  private let countdown: Countdown
  private let hasArrived = Atomic(false)

  init(overlap: Overlap, key: Int, countdown: Countdown) {
    self.overlap = overlap
    self.key = key
    self.countdown = countdown
  }

  /// Counts the arrival of this action, the first time.
  func arrive() {
    if !hasArrived.exchange(true, ordering: .relaxed) { countdown.arrive() }
  }

  /// The overlap of the action with others of its key.
  enum Overlap: Sendable {
    case concurrent, serial, latest

    func plan(key: Int) -> Plan {
      switch self {
      case .concurrent: .concurrent
      case .serial: .serial(key: key)
      case .latest: .latest(key: key)
      }
    }
  }
}

/// Handles each action by an effect, as its plan says.
struct Planned: Interactor {
  func plan(for action: PlannedAction, state: Tally) -> Plan { action.overlap.plan(key: action.key) }

  func handle(_ action: PlannedAction, state: Tally) async -> Effect<Self> {
    Effect { run in
      run.emit(.loading)
      await Task.yield()
      run.emit(.ended(action))
    }
  }

  func closing(_ action: PlannedAction, outcome: Outcome) -> Change? {
    .ended(action)
  }

  static func reduce(into state: inout Tally, mutation: Change) {
    apply(mutation, to: &state)
  }
}

/// Shares one call of a gateway, which answers when the countdown is over.
struct Sharing: Interactor {
  func plan(for action: Countdown, state: Tally) -> Plan {
    .shared(key: 0)
  }

  func handle(_ action: Countdown, state: Tally) async -> Effect<Self> {
    Effect { run in
      await action.wait()
      run.emit(.loaded(nil))
    }
  }

  static func reduce(into state: inout Tally, mutation: Change) {
    apply(mutation, to: &state)
  }
}

/// Handles each action until it is told that it may end, or is cancelled.
struct Stalling: Interactor {
  func handle(_ action: Void, state: Tally) async -> Effect<Self> {
    Effect { _ in try await Task.sleep(for: .seconds(86_400)) }
  }

  static func reduce(into state: inout Tally, mutation: Change) {
    apply(mutation, to: &state)
  }
}

/// Handles each action by one yield and nothing else.
struct Yielding: Interactor {
  func handle(_ action: Void, state: Tally) async -> Effect<Self> {
    Effect { _ in await Task.yield() }
  }

  static func reduce(into state: inout Tally, mutation: Change) {
    apply(mutation, to: &state)
  }
}
