/// The number of calls that the log of a fake keeps.
public enum FakeLogSize: Sendable, Hashable {
  /// Every call, for as long as the fake lives.
  case all
  /// The newest calls, up to this number.
  case last(Int)
  /// None: calls are counted alone, and the time is not read.
  case none
}
