/// Which states an observer gets when it is slower than the store.
public struct ObservationPolicy: Sendable, Hashable {
  private enum Kind: Sendable, Hashable {
    case latest
  }

  private let kind: Kind

  /// Only the newest: a slow observer skips what came between, at no cost to the store.
  public static let latest = ObservationPolicy(kind: .latest)
}
