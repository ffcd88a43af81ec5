/// An alert has begun or ended.
struct AlertChange: Codable, Sendable, Equatable {
  /// Counted from 1 over all alerts.
  let number: Int
  let alert: Alert.Name
  let isFiring: Bool
  /// The number of the metric; of a target 1 when it is up and 0 when it is down.
  var value: Double?
  /// Why a target is down, or why an alert ended otherwise than by what was observed.
  var reason: String?
}
