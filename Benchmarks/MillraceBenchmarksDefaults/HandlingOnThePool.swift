import Millrace

/// Waits for a number of actions.
package protocol Arrivals: AnyObject, Sendable {
  /// Counts one action.
  func arrive()
}

/// Handles each action by an effect (loading, one yield, loaded) in a module without `NonisolatedNonsendingByDefault`.
///
/// Without that feature an `async` function of an interactor runs on the pool, so that its call and its return each may change the
/// thread.
package struct HandlingOnThePool: Interactor {
  package struct State: Sendable {
    package var total = 0
    package var last = 0
    package var rare = 0
    package var isLoading = false
    package var recent = Array(0..<16)

    package init() {}
  }

  package enum Mutation: Sendable {
    case loading
    case loaded(any Arrivals)
  }

  package init() {}

  package func handle(_ action: any Arrivals, state: State) async -> Effect<Self> {
    Effect { run in
      run.emit(.loading)
      await Task.yield()
      run.emit(.loaded(action))
    }
  }

  package static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .loading: state.isLoading = true
    case .loaded(let arrivals):
      state.isLoading = false
      state.total &+= 1
      arrivals.arrive()
    }
  }
}
