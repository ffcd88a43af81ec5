import Millrace

/// A form in which states are written.
protocol Presentation: Sendable {
  /// The text for a state, whole lines with their line breaks; a form that redraws remembers what it has drawn.
  mutating func text(_ snapshot: Snapshot<PulseState>) -> String

  /// The text behind the last state.
  var end: String { get }
}

extension Presentation {
  var end: String { "" }
}
