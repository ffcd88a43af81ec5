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

/// The document of `/runs`.
struct RunsDocument: Sendable, Encodable {
  let runs: [ShownRun]
  /// The names of the stores that did not answer in time.
  let unanswered: [String]
}

/// An open run, as `/runs` has it.
struct ShownRun: Sendable, Encodable {
  let store: String
  let id: String
  /// The action as text; nil if the program cannot decode it.
  let action: String?
  let key: String
  /// The name of its plan; nil without one.
  let plan: String?
  /// Whether an operator should look at it.
  let stuck: Bool
  /// The time since the action was accepted, in seconds.
  let age: Double?
  let attempt: Int
  let deaths: Int
  let lastStep: String?
  /// The stage in a word, and in words.
  let stage: String
  let doing: String
  let record: UInt64?

  init<Action>(_ run: OpenRun<Action>, of store: String) {
    self.store = store
    id = run.id.description
    action = run.action.map { ValueText.of($0, limit: 400) }
    key = run.key
    plan = run.plan
    stuck = run.isStuck
    age = run.age.map { Double($0.nanoseconds) / 1e9 }
    attempt = run.attempt
    deaths = run.deaths
    lastStep = run.lastStep
    stage = Self.word(run.stage)
    doing = "\(run.stage)"
    record = run.record
  }

  private static func word(_ stage: OpenRunStage) -> String {
    switch stage {
    case .pace: "pace"
    case .turn: "turn"
    case .slot: "slot"
    case .durability: "durability"
    case .running: "running"
    case .nextAttempt: "nextAttempt"
    case .step: "step"
    case .sleep: "sleep"
    case .condition: "condition"
    case .unreadable: "unreadable"
    }
  }
}
