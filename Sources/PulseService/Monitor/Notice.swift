import Foundation

/// A message to a webhook: a change of an alert, and the time of its observation.
struct Notice: Codable, Sendable, Equatable {
  let change: AlertChange
  /// The wall-clock time.
  let time: Date
}
