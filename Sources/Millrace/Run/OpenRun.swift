/// A run of a store that has not ended, as ``Store/openRuns(limit:after:)`` lists it.
public struct OpenRun<Action: Sendable>: Sendable, Identifiable, CustomStringConvertible {
  /// The id of the action, or one that no action has if it cannot be decoded.
  public let id: ActionID

  /// The action; nil if the program cannot decode it.
  public let action: Action?

  /// The idempotency key that the sender gave, or that the store has made; in the keys for gateways it stands behind the names of the log.
  public let key: String

  /// The name of its plan; nil without one, and if the program cannot decode the action.
  public let plan: String?

  /// The time since the action was accepted, on the store's clock, or since its take-up before the store was restored; for an action
  /// without a plan, since its handler began, and nil before.
  public let age: Duration?

  /// Whether an operator should look at it.
  ///
  /// That is so if two attempts or two processes in a row have failed, if the program cannot decode the action, or if the run is older
  /// than ten times the 99th percentile of the runs with its plan's name, and than a second. Without a name the 99th percentiles of
  /// ``Metrics/waitTime`` and ``Metrics/handleTime`` count together. Until there are 100 of them the limit is 30 seconds. A run that
  /// sleeps or waits for a state in a step is not stuck by its age.
  public let isStuck: Bool

  /// The number of the attempt, from 1; 0 before the first.
  public let attempt: Int

  /// The number of times in a row that the run was handled again without progress, with this one once its handler starts.
  ///
  /// While the run rests this one does not count.
  public let deaths: Int

  /// The name of the step that its handler began last, or that is stored last; nil without one.
  public let lastStep: String?

  /// The work of the run, or the event that it waits for.
  public let stage: OpenRunStage

  /// The number of the record of its take-up in the log; nil if it has none.
  public let record: UInt64?

  package init(
    id: ActionID, action: Action?, key: String, plan: String? = nil, age: Duration?, isStuck: Bool, attempt: Int = 0,
    deaths: Int = 0, lastStep: String? = nil, stage: OpenRunStage, record: UInt64? = nil
  ) {
    self.id = id
    self.action = action
    self.key = key
    self.plan = plan
    self.age = age
    self.isStuck = isStuck
    self.attempt = attempt
    self.deaths = deaths
    self.lastStep = lastStep
    self.stage = stage
    self.record = record
  }

  /// The run in one line.
  public var description: String {
    let name = action.map { " \(ValueText.of($0, limit: 80))" } ?? ""
    return "\(id)\(name) \(stage)\(age.map { ", accepted \($0) ago" } ?? "")\(isStuck ? ", stuck" : "")"
  }
}
