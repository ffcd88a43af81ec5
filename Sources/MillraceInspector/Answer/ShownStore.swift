import Millrace

/// A store that the inspector shows, without the type of its interactor.
struct ShownStore: Sendable {
  /// The most open runs of a store that are looked at, which are those that were accepted first.
  static let mostRuns = 10_000

  let name: String
  let metrics: @Sendable () async -> Metrics
  /// Returns at most this number of open runs, the stuck ones first, then the oldest.
  let openRuns: @Sendable (Int) async -> [ShownRun]

  init<I: Interactor>(_ store: Store<I>, name: String) {
    self.init(
      name: name, metrics: { await store.metrics },
      openRuns: { limit in
        let runs = await store.openRuns(limit: Self.mostRuns).sorted {
          ($0.isStuck ? 0 : 1, $1.age ?? .zero) < ($1.isStuck ? 0 : 1, $0.age ?? .zero)
        }
        return runs.prefix(limit).map { ShownRun($0, of: name) }
      })
  }

  init(
    name: String, metrics: @escaping @Sendable () async -> Metrics,
    openRuns: @escaping @Sendable (Int) async -> [ShownRun]
  ) {
    (self.name, self.metrics, self.openRuns) = (name, metrics, openRuns)
  }

  /// The check of `/readyz`: the store takes actions, and its journal stores them.
  var readiness: HealthCheck {
    HealthCheck(name: "store-" + name) {
      let metrics = await metrics()
      try Self.checkReadiness(isShuttingDown: metrics.isShuttingDown, metrics.journal)
      return nil
    }
  }

  static func checkReadiness(isShuttingDown: Bool, _ journal: Metrics.Journal?) throws(HealthFailure) {
    if journal?.state == .failed { throw HealthFailure(description: "its journal has failed") }
    if isShuttingDown { throw HealthFailure(description: "it is shut down") }
    guard let journal else { return }
    if journal.state == .unavailable { throw HealthFailure(description: "its journal is unavailable") }
    // Beyond that the store takes no more actions.
    if journal.bufferedBytes >= journal.bufferLimit / 2 {
      throw HealthFailure(description: "\(journal.bufferedBytes) of \(journal.bufferLimit) bytes wait for its journal")
    }
  }
}
