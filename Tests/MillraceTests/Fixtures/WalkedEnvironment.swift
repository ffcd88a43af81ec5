import Synchronization

@testable import Millrace

/// A word at each access of which a walk decides which thread continues.
final class WalkedWord: LockWord, @unchecked Sendable {
  private(set) var value: UInt
  private let name = LockWalk.current.interleaving.newWord()

  init(_ value: UInt) {
    self.value = value
    LockWalk.current.interleaving.didChange(name, from: value, to: value)
  }

  /// Replaces the value by the result of `change`, if there is one, and returns the value before.
  private func access(_ change: (UInt) -> UInt?) -> UInt {
    let walk = LockWalk.current.interleaving
    walk.point()
    let old = value
    walk.note(mixed(name, UInt64(old)))
    if let new = change(old) {
      value = new
      walk.didChange(name, from: old, to: new)
    }
    return old
  }

  func load(ordering: AtomicLoadOrdering) -> UInt {
    access { _ in nil }
  }

  func store(_ desired: UInt, ordering: AtomicStoreOrdering) {
    _ = access { _ in desired }
  }

  func exchange(_ desired: UInt, ordering: AtomicUpdateOrdering) -> UInt {
    access { _ in desired }
  }

  func compareExchange(
    expected: UInt, desired: UInt, successOrdering: AtomicUpdateOrdering, failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: UInt) {
    let old = access { $0 == expected ? desired : nil }
    return (old == expected, old)
  }

  func bitwiseOr(_ operand: UInt, ordering: AtomicUpdateOrdering) -> (oldValue: UInt, newValue: UInt) {
    let old = access { $0 | operand }
    LockWalk.current.registerUrgentStep()
    return (old, old | operand)
  }
}

/// The threads of a walk over the schedules of a lock.
enum WalkedEnvironment: LockEnvironment {
  static var looks: Int { 1 }

  static var patience: Int { LockWalk.current.patience }

  static func runningThread() -> UInt { LockWalk.identity(of: LockWalk.current.interleaving.runningThread) }

  static func pause(_ turns: Int) {}

  /// The number of the thread that parks there.
  static func makeParking() -> Int { LockWalk.current.interleaving.runningThread }

  static func park(at parking: Int) {
    LockWalk.current.interleaving.park()
  }

  static func wake(_ parking: Int) {
    LockWalk.current.interleaving.wake(parking)
  }

  static func access<State, Result>(
    _ list: borrowing Lock<State>, _ body: (inout sending State) -> sending Result
  ) -> sending Result {
    LockWalk.current.interleaving.beginAccess()
    defer { LockWalk.current.interleaving.endAccess(State.self) }
    return list.withLock(body)
  }

  static func startRelief(of object: any Combining) {
    LockWalk.current.startRelief()
  }
}
