/// A line that the program writes about one of many keys.
enum KeyLine: Equatable {
  /// An action has ended durably; the revision is the last one that it led to, or nil if the receipt has none.
  case done(key: String, number: Int, revision: Int?)
  /// The state of a key: the numbers that are noted, and those that have a timer.
  case state(key: String, noted: [Int], pending: [Int])

  /// Reads a line; nil for another line.
  init?(_ line: some StringProtocol) {
    let words = line.split(separator: " ")
    switch words.first {
    case "done" where words.count == 4:
      guard let number = Int(words[2]) else { return nil }
      self = .done(key: String(words[1]), number: number, revision: Int(words[3]))
    case "state" where words.count > 2:
      let parts = words[2...].split(separator: "pending", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      self = .state(
        key: String(words[1]), noted: parts[0].compactMap { Int($0) }, pending: parts[1].compactMap { Int($0) })
    default: return nil
    }
  }

  /// The line, without its end.
  var line: String {
    switch self {
    case .done(let key, let number, let revision): "done \(key) \(number) \(revision.map(String.init) ?? "-")"
    case .state(let key, let noted, let pending):
      (["state", key] + noted.map(String.init) + ["pending"] + pending.map(String.init)).joined(separator: " ")
    }
  }
}
