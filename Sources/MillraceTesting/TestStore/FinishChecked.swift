/// A gateway that a ``TestStore`` checks at its end for unused preparations, such as a fake gateway with its
/// scripts.
public protocol FinishChecked: Sendable {
  /// Fails the test, at this line, for each unused reply and each unanswered call.
  ///
  /// Called once by ``TestStore/finish(file:line:)``, when no run is open or the store has waited long enough for that.
  func finish(file: StaticString, line: UInt) async
}
