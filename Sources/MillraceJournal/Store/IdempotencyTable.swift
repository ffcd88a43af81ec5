import Millrace
import MillraceEntries

/// The result of an action that was sent with an idempotency key, as it is stored.
struct RememberedResult: Codable, Sendable {
  let key: String
  /// The reason for which the decision rejected the action; nil if the action has finished.
  let rejection: String?
  /// The revisions of the first and the last commit; nil without one.
  let first: Int?
  let last: Int?
  /// The wall time of the end in milliseconds since 1970.
  let time: Int64

  /// The results for all keys of an action that ends at a wall time.
  static func all(of result: KeyedResult, at time: Int64) -> [RememberedResult] {
    result.keys.map { RememberedResult(result, of: $0, at: time) }
  }

  init(_ result: KeyedResult, of key: String, at time: Int64) {
    self.key = key
    rejection = result.rejectionError.map { "\($0)".shortened(to: RememberedError.longest) }
    first = result.revisions?.lowerBound
    last = result.revisions?.upperBound
    self.time = time
  }

  /// Whether a log that leads to a revision may have the result.
  func isPossible(at revision: Int) -> Bool {
    guard let first, let last else { return first == nil && last == nil }
    return 1 <= first && first <= last && last <= revision
  }
}

/// The error with which a decision rejected an action before the store was opened.
///
/// A store remembers it for the idempotency key of the action, only by the first 4,096 characters of its text.
public struct RememberedError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The largest number of characters that are remembered.
  static let longest = 4_096

  /// The text of the error.
  public let description: String
}

/// The results of the actions that were sent with idempotency keys, within the window of the options.
struct IdempotencyTable: Sendable {
  private struct Entry {
    let result: RememberedResult
    /// The error of the decision; nil if that was made before the store was opened.
    let error: (any Error)?
  }

  private let limit: Int
  /// In milliseconds.
  private let window: Int64
  private var entries: [UTF8Text: Entry] = [:]

  /// The results in their order.
  private(set) var results = ResultLog()

  init(_ options: JournalOptions) {
    limit = max(options.rememberedKeys, 0)
    window = max(options.rememberedTime.nanoseconds, 0) / 1_000_000
  }

  /// The result of a key; nil if none is remembered.
  mutating func result(of key: String, at time: Int64) -> KeyedResult? {
    forget(at: time)
    guard let entry = entries[UTF8Text(key)] else { return nil }
    let result = entry.result
    var revisions: ClosedRange<Int>?
    if let first = result.first, let last = result.last, first <= last { revisions = first...last }
    let error = entry.error ?? result.rejection.map { RememberedError(description: $0) }
    return KeyedResult(
      keys: [key], outcome: error.map { .rejected(.decided($0)) } ?? .finished, revisions: revisions)
  }

  /// Remembers a result, and forgets the oldest results for which there is no room.
  mutating func remember(_ result: RememberedResult, _ error: (any Error)? = nil) {
    forget(at: result.time)
    if entries.updateValue(Entry(result: result, error: error), forKey: UTF8Text(result.key)) != nil {
      // The log has the key twice within the window: the wall clock was set back.
      results.remove(result.key)
    }
    results.append(result)
    while entries.count > limit { forgetOldest() }
  }

  /// Forgets the results that are older than the window.
  mutating func forget(at time: Int64) {
    while let oldest = results.first, max(time, 0) - max(oldest.time, 0) > window { forgetOldest() }
  }

  private mutating func forgetOldest() {
    if let oldest = results.popFirst() { entries[UTF8Text(oldest.key)] = nil }
  }
}

/// Results in their order, in parts, so that a copy that is kept costs the next change one part and not all.
struct ResultLog: Sendable {
  private static let size = 256
  private var parts: [[RememberedResult]] = []
  /// The results of the first part that were removed.
  private var removed = 0

  var first: RememberedResult? { parts.first?[removed] }

  /// All results, the oldest first.
  var all: [RememberedResult] { Array(parts.joined().dropFirst(removed)) }

  mutating func append(_ result: RememberedResult) {
    if let last = parts.last, last.count < Self.size {
      parts[parts.count - 1].append(result)
    } else {
      parts.append([result])
    }
  }

  mutating func popFirst() -> RememberedResult? {
    guard let first else { return nil }
    removed += 1
    if removed == parts[0].count {
      parts.removeFirst()
      removed = 0
    }
    return first
  }

  /// Removes the result of a key.
  mutating func remove(_ key: String) {
    let rest = all.filter { UTF8Text($0.key) != UTF8Text(key) }
    self = ResultLog()
    for result in rest { append(result) }
  }
}

extension KeyedResult {
  /// The error with which the decision rejected the action; nil if the action has finished.
  var rejectionError: (any Error)? {
    if case .rejected(.decided(let error)) = outcome { error } else { nil }
  }
}
