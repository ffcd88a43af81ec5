import Millrace

/// The numbers of a plan with everything; the same for the store and by hand.
struct FullTerms: Sendable {
  let timeout = Duration.seconds(10)
  let attemptTimeout = Duration.seconds(5)
  let attempts = 3
  let backoff = Duration.milliseconds(10)
  let failures = 5
  let openFor = Duration.seconds(1)
}

/// Shares the calls of each key, each with its time, its attempts and its breaker: loading, one yield, loaded.
struct FullyPlanned: Interactor {
  private let terms = FullTerms()

  func plan(for action: Int, state: Tally) -> Plan {
    .shared(key: action).timeout(terms.timeout).attemptTimeout(terms.attemptTimeout)
      .retry(terms.attempts, backoff: .constant(terms.backoff))
      .breaker(Plan.Breaker(failures: terms.failures, openFor: terms.openFor))
  }

  func handle(_ action: Int, state: Tally) async -> Effect<Self> {
    Effect { run in
      run.emit(.loading)
      await Task.yield()
      run.emit(.loaded(nil))
    }
  }

  static func reduce(into state: inout Tally, mutation: Change) {
    apply(mutation, to: &state)
  }
}
