import Foundation

/// What a webhook is told: a change of an alert, and when it was seen.
struct Notice: Codable, Sendable, Equatable {
  let change: AlertChange
  /// The wall-clock time.
  let time: Date
}
