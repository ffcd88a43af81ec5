/// The part of the events of a ``TestStore`` that a test has to assert.
public enum Exhaustivity: Sendable, Hashable {
  /// Every mutation is received, in order, and every change of the state is asserted.
  ///
  /// A change is the closure's effect on the state that the test expected before; the whole state afterwards is
  /// compared.
  case on

  /// Events that the test does not assert are skipped.
  ///
  /// A change closure is applied to the state that the store has, and has to leave it as it is: so it asserts what it
  /// sets, and nothing else.
  case off
}
