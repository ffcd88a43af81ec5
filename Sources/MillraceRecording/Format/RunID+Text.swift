import Millrace

extension RunID {
  /// Reads what ``description`` writes: `#5@1`.
  init?(text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].first == "#", let number = UInt64(parts[0].dropFirst()), let store = Int(parts[1])
    else { return nil }
    self.init(store: store, action: ActionID(number: number))
  }
}
