/// A gateway that a ``TestStore`` checks at its end for unused preparations, such as a fake gateway with its
/// scripts.
public protocol FinishChecked: Sendable {
  /// Fails the test, at this line, for each unused reply and each unanswered call.
  ///
  /// ``TestStore/finish(file:line:)`` calls it once, when no run is open or its timeout is over, also in a cancelled task.
  func finish(file: StaticString, line: UInt) async
}
