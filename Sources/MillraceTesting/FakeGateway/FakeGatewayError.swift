/// The reason for which a fake gave no answer.
public struct FakeGatewayError: Error, Sendable, CustomStringConvertible {
  /// The reasons there are; more may come.
  public struct Code: Sendable, Hashable {
    fileprivate enum Kind: Sendable, Hashable {
      case unexpectedCall, finished, recordedFailure
    }

    fileprivate let kind: Kind

    /// No script was left for the call; the test has failed by that.
    public static let unexpectedCall = Code(kind: .unexpectedCall)

    /// The call was still held when the test called `finish()`; the test has failed by that.
    public static let finished = Code(kind: .finished)

    /// The call failed when it was recorded; the description is that of its error then.
    public static let recordedFailure = Code(kind: .recordedFailure)
  }

  /// The reason.
  public let code: Code

  /// The reason as a sentence, with the fix.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  static var finished: FakeGatewayError {
    FakeGatewayError(
      .finished,
      "The call was still held when finish() was called; call release(_:) or fail(_:) on what holds it before that.")
  }
}
