/// Why a wait for a state ended without that state.
public struct WaitError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reasons there are; more may come.
  public struct Code: Sendable, Hashable {
    fileprivate enum Kind: Sendable, Hashable {
      case timedOut, shutDown
    }

    fileprivate let kind: Kind

    /// No state satisfied the predicate in time.
    public static let timedOut = Code(kind: .timedOut)

    /// The store was shut down before a state satisfied the predicate.
    public static let shutDown = Code(kind: .shutDown)
  }

  /// The reason.
  public let code: Code

  /// Makes an error of this kind.
  public init(_ code: Code) {
    self.code = code
  }

  /// The reason as a sentence, with the fix.
  public var description: String {
    switch code.kind {
    case .timedOut:
      "No state satisfied the predicate in time; send what leads to such a state, or wait with a longer timeout."
    case .shutDown:
      "The store was shut down before a state satisfied the predicate; wait before shutting it down."
    }
  }
}
