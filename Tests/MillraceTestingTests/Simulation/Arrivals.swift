import Foundation
import Synchronization

/// Counts arrivals, and blocks the threads that wait for them.
final class Arrivals: Sendable {
  private let condition = NSCondition()
  private let count = Atomic(0)

  /// Counts one more, and returns its number.
  @discardableResult
  func arrive(andWaitFor awaited: Int = 0) -> Int {
    condition.lock()
    let number = count.add(1, ordering: .relaxed).newValue
    condition.broadcast()
    condition.unlock()
    wait(for: awaited)
    return number
  }

  func wait(for awaited: Int) {
    condition.lock()
    while count.load(ordering: .relaxed) < awaited { condition.wait() }
    condition.unlock()
  }
}
