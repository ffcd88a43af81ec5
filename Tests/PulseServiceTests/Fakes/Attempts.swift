import Millrace

/// Counts the attempts at something, from 1.
final class Attempts: Sendable {
  private let made = Lock(0)

  var count: Int { made.withLock { $0 } }

  /// Counts one more, and gives its number.
  func next() -> Int {
    made.withLock { made in
      made += 1
      return made
    }
  }
}
