/// The highest rate at which a condition on the latency held, and the windows that were measured to find it.
public struct LoadLimitReport: Sendable {
  /// The name of the scenario.
  public let scenario: String

  /// The condition.
  public let condition: LatencyCondition

  /// The highest rate that held, in requests a second; nil when none did.
  public internal(set) var rate: Double?

  /// The windows in the order in which they were measured: the curve of latency over rate.
  public internal(set) var windows: [Window] = []

  /// Whether the search ended because the generator could not send at a higher rate; the system's limit is then at least ``rate``.
  public internal(set) var isGeneratorLimit = false

  /// One run at a constant rate.
  public struct Window: Sendable {
    /// The rate, in requests a second.
    public let rate: Double
    /// Whether the condition held.
    public let isHeld: Bool
    /// The figures.
    public let report: LoadReport
  }
}
