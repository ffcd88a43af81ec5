/// A run of a store that has not ended, as ``Store/openRuns(limit:after:)`` lists it.
public struct OpenRun<Action: Sendable>: Sendable, Identifiable, CustomStringConvertible {
  /// The id of the action, or one that no action has if it cannot be decoded.
  public let id: ActionID

  /// The action; nil if the program cannot decode it.
  public let action: Action?

  /// The idempotency key of the handler: that of the sender, or the one that the store makes.
  public let key: String

  /// The time since the action was accepted, on the store's clock, or since its take-up before the store was restored; nil for an
  /// action without a plan, of which the store does not note it.
  public let age: Duration?

  /// The number of the attempt, from 1; 0 before the first.
  public let attempt: Int

  /// The number of times in a row that the run was handled again without progress.
  public let deaths: Int

  /// The name of the step that its handler began last, or that is stored last; nil without one.
  public let lastStep: String?

  /// The work of the run, or the event that it waits for.
  public let stage: OpenRunStage

  /// The number of the record of its take-up in the log; nil if it has none.
  public let record: UInt64?

  package init(
    id: ActionID, action: Action?, key: String, age: Duration?, attempt: Int = 0, deaths: Int = 0,
    lastStep: String? = nil, stage: OpenRunStage, record: UInt64? = nil
  ) {
    self.id = id
    self.action = action
    self.key = key
    self.age = age
    self.attempt = attempt
    self.deaths = deaths
    self.lastStep = lastStep
    self.stage = stage
    self.record = record
  }

  /// The run in one line.
  public var description: String {
    let name = action.map { " \(ValueText.of($0, limit: 80))" } ?? ""
    return "\(id)\(name) \(stage)\(age.map { ", accepted \($0) ago" } ?? "")"
  }
}
