/// The reason for which a reconciler does not run, or an attempt of it failed.
public struct ReconcilerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reasons there are; more may come.
  public struct Code: Sendable, Hashable {
    fileprivate enum Kind: Sendable, Hashable {
      case alreadyRunning, timedOut, timeout, attempts, backoff
    }

    fileprivate let kind: Kind

    /// The reconciler follows other desires already.
    public static let alreadyRunning = Code(kind: .alreadyRunning)

    /// An operation did not return in time; whether it was performed is not known.
    public static let timedOut = Code(kind: .timedOut)

    /// The reconciler was made with a timeout that is not above zero.
    public static let invalidTimeout = Code(kind: .timeout)

    /// The reconciler was made to attempt nothing.
    public static let invalidAttempts = Code(kind: .attempts)

    /// The reconciler was made with a backoff that shrinks or is negative.
    public static let invalidBackoff = Code(kind: .backoff)
  }

  /// The reason.
  public let code: Code

  /// Creates an error of this kind.
  public init(_ code: Code) {
    self.code = code
  }

  /// The reason as a sentence, with the fix.
  public var description: String {
    switch code.kind {
    case .alreadyRunning:
      "The reconciler runs already, and performs one operation at a time; wait until that run has returned, or make another "
        + "reconciler."
    case .timedOut:
      "The operation did not return in time; give the reconciler a longer timeout, or let `perform` heed cancellation and "
        + "do what is missing when it is called again."
    case .timeout:
      "The reconciler's timeout is over before it begins; give it one above zero, or nil for none."
    case .attempts:
      "The reconciler makes no attempt; give it 1 attempt or more."
    case .backoff:
      "The reconciler's backoff shrinks or is negative; give it delays of zero or more, a factor of 1 or more, and a maximum "
        + "that is not below the initial delay."
    }
  }
}
