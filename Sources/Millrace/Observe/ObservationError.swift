/// Why an observer ended before its store did.
public struct ObservationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reasons there are; more may come.
  public struct Code: Sendable, Hashable {
    fileprivate enum Kind: Sendable, Hashable {
      case overflowed, lagged
    }

    fileprivate let kind: Kind

    /// It was further behind than its buffer, and its policy is to disconnect.
    public static let overflowed = Code(kind: .overflowed)

    /// It is lossless and was further behind than its limit.
    public static let lagged = Code(kind: .lagged)
  }

  /// The reason.
  public let code: Code

  /// How many commits the observer was behind.
  public let lag: Int

  init(_ code: Code, lag: Int) {
    self.code = code
    self.lag = lag
  }

  /// The reason as a sentence, with the fix.
  public var description: String {
    switch code.kind {
    case .overflowed:
      "The observer was \(lag) commits behind, further than its buffer; take elements faster, give it a larger buffer, or "
        + "let it report gaps."
    case .lagged:
      "The lossless observer was \(lag) commits behind, further than its limit; take elements faster, or give it a higher "
        + "limit."
    }
  }
}
