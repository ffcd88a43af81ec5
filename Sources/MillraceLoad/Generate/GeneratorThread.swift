import Foundation
import Millrace
import Synchronization

/// Runs an open loop in real time, on a thread of its own: it takes no thread from the pool that serves the requests.
enum GeneratorThread {
  /// The time before a request is due in which the thread spins, in nanoseconds: a sleeping thread wakes up to 60 µs late.
  private static let spinning: Int64 = 100_000

  /// The longest sleep, after which the thread sees that the run was cancelled; in nanoseconds.
  private static let longestSleep: Int64 = 20_000_000

  /// Returns when all requests were sent, or soon after the calling task was cancelled.
  static func run(_ loop: OpenLoop, now: @escaping @Sendable () -> Int64) async {
    let isStopped = StopFlag()
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        Thread.detachNewThread {
          var loop = loop
          while case .wait(let due) = loop.step(isStopped: { isStopped.isSet }) {
            while !isStopped.isSet, case let left = due - now(), left > 0 {
              guard left > spinning else { continue }
              sleep(min(left - spinning, longestSleep))
            }
          }
          continuation.resume()
        }
      }
    } onCancel: {
      isStopped.set()
    }
  }

  private static func sleep(_ nanoseconds: Int64) {
    var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    nanosleep(&time, nil)
  }
}

/// Set once, by any thread.
private final class StopFlag: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() {
    flag.store(true, ordering: .releasing)
  }
}
