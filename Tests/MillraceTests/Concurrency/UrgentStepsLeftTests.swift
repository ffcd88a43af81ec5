import Synchronization
import Testing

@testable import Millrace

@Suite("FlatCombiningLock, urgent steps past the patience")
struct UrgentStepsLeftTests {
  /// An environment whose holders do one step of others, and which calls a closure before a holder takes the queue.
  enum Hasty: LockEnvironment {
    static let beforeTaking = Box<(@Sendable () -> Void)?>(nil)
    static let woken = Notes<Int>()
    static let reliefs = Notes<String>()
    static let parkings = Box(0)

    static var looks: Int { 1 }
    static var patience: Int { 1 }

    static func runningThread() -> UInt {
      beforeTaking.value?()
      return 2
    }

    static func pause(_ turns: Int) {}

    static func makeParking() -> Int {
      parkings.update { parkings in
        parkings += 1
        return parkings
      }
    }

    static func park(at parking: Int) { Issue.record("No caller waits in this test.") }

    static func wake(_ parking: Int) { woken.note(parking) }

    static func access<State, Result>(
      _ list: borrowing Lock<State>, _ body: (inout sending State) -> sending Result
    ) -> sending Result { list.withLock(body) }

    static func startRelief(of object: any Combining) { reliefs.note("relief") }
  }

  private final class Object: Combining {
    let lock = FlatCombiningLock<Atomic<UInt>, Hasty>()

    func performSteps() {}
    func willUnlock() {}
    func relieve() {}
  }

  @Test("Urgent steps that a holder leaves keep the lock pending, and the caller of the first of them is woken")
  func stepsAreLeft() {
    let (object, done) = (Object(), Notes<Int>())
    let isLocked = object.lock.tryLock()
    #expect(isLocked)
    _ = object.lock.word.bitwiseOr(1, ordering: .relaxed)
    Hasty.beforeTaking.value = {
      Hasty.beforeTaking.value = nil
      for number in 1...3 {
        object.lock.lists.register(UrgentStep { done.note(number) }, counting: object.lock.urgent)
      }
    }
    object.lock.unlockSlowly(for: object)
    #expect(done.all == [1, 2])
    #expect(Hasty.woken.all == [1, 2, 3], "The first two are done; the third one takes the lock.")
    #expect(object.lock.word.load(ordering: .relaxed) == 1)
    #expect(Hasty.reliefs.all == ["relief"])
  }
}
