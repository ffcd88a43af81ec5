package import Millrace

/// The document of `/runs`.
package struct RunsDocument: Sendable, Codable, Equatable {
  package let runs: [ShownRun]
  /// The names of the stores that did not answer in time.
  package let unanswered: [String]

  package init(runs: [ShownRun], unanswered: [String]) { (self.runs, self.unanswered) = (runs, unanswered) }
}

/// An open run, as `/runs` has it.
package struct ShownRun: Sendable, Codable, Equatable {
  package let store: String
  /// The key of the store among many; nil for a single store.
  package let storeKey: String?
  package let id: String
  /// The action as text; nil if the program cannot decode it.
  package let action: String?
  package let key: String
  /// The name of its plan; nil without one.
  package let plan: String?
  /// Whether an operator should look at it.
  package let stuck: Bool
  /// The time since the action was accepted, in seconds.
  package let age: Double?
  package let attempt: Int
  package let deaths: Int
  package let lastStep: String?
  /// The stage in a word, and in words.
  package let stage: String
  package let doing: String
  package let record: UInt64?

  /// The name of the store, and its key if it is one of many.
  package var storeAndKey: String { storeKey.map { "\(store)/\($0)" } ?? store }

  package init(
    store: String, storeKey: String? = nil, id: String, action: String?, key: String, plan: String?, stuck: Bool,
    age: Double?, attempt: Int,
    deaths: Int, lastStep: String?, stage: String, doing: String, record: UInt64?
  ) {
    (self.store, self.storeKey, self.id, self.action, self.key) = (store, storeKey, id, action, key)
    (self.plan, self.stuck, self.age, self.attempt, self.deaths) = (plan, stuck, age, attempt, deaths)
    (self.lastStep, self.stage, self.doing, self.record) = (lastStep, stage, doing, record)
  }

  package init<Action>(_ run: OpenRun<Action>, of store: String, key storeKey: String? = nil) {
    self.store = store
    self.storeKey = storeKey
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

extension [ShownRun] {
  /// The first ones: the stuck ones before the others, and then the oldest.
  func mostUrgent(_ limit: Int) -> [ShownRun] {
    Array(sorted { ($0.stuck ? 0 : 1, $1.age ?? 0) < ($1.stuck ? 0 : 1, $0.age ?? 0) }.prefix(limit))
  }
}
