/// The interceptions in progress, each on its thread, and the actions that interceptors send during them.
///
/// An action that is sent during an interception passes the chain once the intercepted action was accepted, so that
/// interceptions do not nest, and a chain of them does not grow the stack.
@usableFromInline
final class Interceptions<I: Interactor>: Sendable {
  /// Postponed actions by thread; a thread has a list from the beginning of its interception to the end.
  private let postponed = Lock<[UInt: [ActiveRun<I>]]>([:])

  @usableFromInline
  init() {}

  /// Calls `body`, and returns its result with the actions that were postponed meanwhile on this thread.
  ///
  /// During another interception of this thread, whose caller then gets them, it returns none.
  @usableFromInline
  func intercept<Result>(_ body: () -> Result) -> (Result, postponed: [ActiveRun<I>]) {
    let thread = currentThread()
    let isNested = postponed.withLock { postponed in
      if postponed[thread] != nil { return true }
      postponed[thread] = []
      return false
    }
    let result = body()
    if isNested { return (result, []) }
    return (result, postponed.withLock { $0.removeValue(forKey: thread) } ?? [])
  }

  /// Postpones an action if an interception is in progress on this thread; returns whether it did.
  @usableFromInline
  func postpone(_ run: ActiveRun<I>) -> Bool {
    let thread = currentThread()
    return postponed.withLock { postponed in
      guard postponed[thread] != nil else { return false }
      postponed[thread]?.append(run)
      return true
    }
  }
}
