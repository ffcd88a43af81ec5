import Millrace

/// An action of a service: its handler waits for a millisecond, as for a gateway.
struct Request: Sendable {
  let overlap: PlannedAction.Overlap
  let key: Int

  /// The time that the gateway takes.
  static let latency = Duration.milliseconds(1)
}

/// Handles requests by an effect, as their plans say.
struct Serving: Interactor {
  func plan(for action: Request, state: Tally) -> Plan { action.overlap.plan(key: action.key) }

  func handle(_ action: Request, state: Tally) async -> Effect<Self> {
    Effect { run in
      run.emit(.loading)
      try await Task.sleep(for: Request.latency)
      run.emit(.loaded(nil))
    }
  }

  func closing(_ action: Request, outcome: Outcome) -> Change? { .loaded(nil) }

  static func reduce(into state: inout Tally, mutation: Change) {
    apply(mutation, to: &state)
  }
}

/// The same by hand: an actor with the state, and with the newest task of each key.
actor ServingActor {
  private var tally = Tally()
  private var newest: [Int: Task<Void, Never>] = [:]

  func serve(_ request: Request) async {
    let task: Task<Void, Never>
    switch request.overlap {
    case .concurrent: return await work()
    case .serial:
      let previous = newest[request.key]
      task = Task {
        await previous?.value
        await work()
      }
    case .latest:
      newest[request.key]?.cancel()
      task = Task { await work() }
    }
    newest[request.key] = task
    await task.value
    if newest[request.key] == task { newest[request.key] = nil }
  }

  private func work() async {
    apply(.loading, to: &tally)
    try? await Task.sleep(for: Request.latency)
    apply(.loaded(nil), to: &tally)
  }
}
