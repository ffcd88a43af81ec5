/// A value in the state that counts as changed each time it is set, even to an equal value.
///
/// Observers of a plain property do not get a value that is equal to their last one. Where the setting itself is the
/// news (a message to be shown, a bell to be rung), keep it in a pulse: two pulses are equal only if neither was set since.
///
/// ```swift
/// struct State { var message = Pulse("") }
/// state.message.value = "Saved"      // delivered
/// state.message.value = "Saved"      // delivered again
/// ```
public struct Pulse<Value: Sendable>: Sendable, Equatable {
  /// The value; setting it makes the pulse differ from its earlier value.
  public var value: Value {
    didSet { settings &+= 1 }
  }

  /// The number of times that the value was set.
  package private(set) var settings = 0

  /// Creates a pulse that was never set.
  public init(_ value: Value) {
    self.value = value
  }

  /// Whether both were set equally often; their values are not compared.
  public static func == (left: Pulse, right: Pulse) -> Bool {
    left.settings == right.settings
  }
}
