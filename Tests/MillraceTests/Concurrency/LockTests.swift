import Testing

@testable import Millrace

@Suite("Lock", .timeLimit(.minutes(1)))
struct LockTests {
  private struct Broken: Error {}

  private final class Counter: Sendable {
    let count = Lock(0)
  }

  @Test("Only one thread at a time works with the lock")
  func oneAtATime() async {
    let counter = Counter()
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<5_000 { counter.count.withLock { $0 += 1 } }
        }
      }
    }
    #expect(counter.count.withLock { $0 } == 40_000)
  }

  @Test("An error leaves the lock free, and what was changed before it changed")
  func anErrorFreesTheLock() {
    let count = Lock(0)
    var isThrown = false
    do throws(Broken) {
      try count.withLock { (count: inout sending Int) throws(Broken) in
        count = 1
        throw Broken()
      }
    } catch {
      isThrown = true
    }
    #expect(isThrown)
    #expect(count.withLock { $0 } == 1)
  }

  @Test("The state goes with the lock")
  func theStateGoesWithTheLock() {
    weak var state: Waiter?
    do {
      let lock = Lock(Waiter())
      state = lock.withLock { $0 }
      #expect(state != nil)
    }
    #expect(state == nil)
  }
}
