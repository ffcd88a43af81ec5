/// The coder of a store's journal, and the limits within which the store waits for it.
public struct JournalOptions: Sendable {
  /// Encodes actions and mutations; JSON by default.
  public var coder: any JournalCoder = JSONJournalCoder()

  /// The number of bytes that may wait to be stored; 16 MiB by default.
  ///
  /// When half of them wait, the store takes no more actions until fewer do; emits and closing mutations may use the rest. When that is full
  /// too, the store stops.
  public var bufferedBytes = 1 << 24

  /// The time for which an unavailable journal is tried again before the store stops, on the store's clock; 30 seconds by default.
  public var deadline: Duration = .seconds(30)

  /// Makes the default options.
  public init() {}
}
