/// The interceptions in progress, each on its thread, and the actions that interceptors send during them.
///
/// An action that is sent during an interception passes the chain once the intercepted action was accepted, so that
/// interceptors do not nest, and a chain of them does not grow the stack. It knows nothing of the records of these actions, so that it
/// is compiled once for all interactors.
@usableFromInline
final class Interceptions: Sendable {
  /// The record of an action.
  @usableFromInline typealias Record = any AnyObject & Sendable

  /// Postponed actions by thread; a thread has a list from the beginning of its interception to the end.
  private let postponed = Lock<[UInt: [Record]]>([:])

  @usableFromInline
  init() {}

  /// Calls `body`, and returns its result with the actions that were postponed meanwhile on this thread.
  ///
  /// During another interception of this thread, whose caller then gets them, it returns none.
  @inlinable
  func intercept<Result>(_ body: () -> Result) -> (Result, postponed: [Record]) {
    let begins = begin()
    let result = body()
    return (result, begins ? end() : [])
  }

  /// Returns whether an interception begins on this thread, and not within another one.
  @usableFromInline
  func begin() -> Bool {
    let thread = currentThread()
    return postponed.withLock { postponed in
      if postponed[thread] != nil { return false }
      postponed[thread] = []
      return true
    }
  }

  @usableFromInline
  func end() -> [Record] {
    let thread = currentThread()
    return postponed.withLock { $0.removeValue(forKey: thread) } ?? []
  }

  /// Postpones an action if an interception is in progress on this thread; returns whether it did.
  @usableFromInline
  func postpone(_ record: Record) -> Bool {
    let thread = currentThread()
    return postponed.withLock { postponed in
      guard postponed[thread] != nil else { return false }
      postponed[thread]?.append(record)
      return true
    }
  }
}
