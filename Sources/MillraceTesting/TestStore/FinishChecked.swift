/// What a ``TestStore`` asks at its end whether all that was prepared was used, such as a fake gateway with its
/// scripts.
public protocol FinishChecked: Sendable {
  /// Fails the test, at this line, for each reply that nobody asked for and each call that nobody answered.
  ///
  /// Called once by ``TestStore/finish(file:line:)``, when no run is open or the store has waited long enough for that.
  func finish(file: StaticString, line: UInt) async
}
