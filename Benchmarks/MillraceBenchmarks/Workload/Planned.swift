import Millrace

/// An action with a plan; its handler is loading, one yield, loaded.
struct PlannedAction: Sendable {
  var overlap: Overlap
  var key = 0
  var countdown: Countdown

  /// How the action meets others of its key.
  enum Overlap: Sendable {
    case concurrent, serial, latest
  }
}

/// Handles each action by an effect, as its plan says.
struct Planned: Interactor {
  func plan(for action: PlannedAction) -> Plan {
    switch action.overlap {
    case .concurrent: .concurrent
    case .serial: .serial(key: action.key)
    case .latest: .latest(key: action.key)
    }
  }

  func handle(_ action: PlannedAction, state: Tally) async -> Effect<Self> {
    Effect { run in
      run.emit(.loading)
      await Task.yield()
      run.emit(.loaded(action.countdown))
    }
  }

  func closing(_ action: PlannedAction, outcome: Outcome) -> Change? {
    .loaded(action.countdown)
  }

  static func reduce(into state: inout Tally, mutation: Change) {
    apply(mutation, to: &state)
  }
}

/// Shares one call of a gateway, which answers when the countdown is over.
struct Sharing: Interactor {
  func plan(for action: Countdown) -> Plan {
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
