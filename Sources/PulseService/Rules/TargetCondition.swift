/// A faulty condition of a target.
enum TargetCondition: Codable, Sendable, Hashable {
  /// The target does not answer, or answers with a failure.
  case down
  /// The target takes longer to answer.
  case slower(than: Duration)
  /// The status of its answer stands so to a number.
  case status(AlertRule.Comparison, Int)

  /// The judgement of a probe on the condition.
  struct Observation: Equatable {
    let isMet: Bool
    /// The compared number: 1 or 0 for up or down, the latency in seconds, the status.
    let value: Double
  }

  /// Compares the result of a probe; nil where that says nothing about the condition, such as the speed of a target that is down.
  func observation(of result: Target.Result) -> Observation? {
    switch (self, result) {
    case (.down, _):
      Observation(isMet: result.isDown, value: result.isDown ? 0 : 1)
    case (.slower(let limit), .up(let latency, _)):
      Observation(isMet: latency > limit, value: latency / .seconds(1))
    case (.status(let comparison, let number), .up(_, let status?)),
      (.status(let comparison, let number), .down(_, let status?)):
      Observation(isMet: comparison.holds(Double(status), Double(number)), value: Double(status))
    case (.slower, .down), (.status, .up(_, nil)), (.status, .down(_, nil)):
      nil
    }
  }
}
