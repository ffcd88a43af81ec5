/// Why an action was not accepted by ``Store/submit(_:)``.
public struct SubmitError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reasons there are; more may come.
  public struct Code: Sendable, Hashable {
    fileprivate enum Kind: Sendable, Hashable {
      case shuttingDown
    }

    fileprivate let kind: Kind

    /// The store is shut down, or was while the action waited to be accepted.
    public static let shuttingDown = Code(kind: .shuttingDown)
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
    case .shuttingDown:
      "The store is shut down and takes no more actions; submit to a store that is running."
    }
  }
}
