/// An alert has begun or ended.
struct AlertChange: Codable, Sendable, Equatable {
  /// Counted from 1 over all alerts.
  let number: Int
  let alert: Alert.Name
  let isFiring: Bool
  /// The number of the metric; of a target 1 when it is up and 0 when it is down.
  var value: Double?
  /// The reason for which a target is down, or for which an alert ended without an observation.
  var reason: String?
}
