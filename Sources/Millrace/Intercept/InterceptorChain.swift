/// The interceptors of a store in their order.
@usableFromInline
final class InterceptorChain<I: Interactor>: Sendable {
  typealias Element = any Interceptor<I.Action, I.Mutation, I.State>

  private let interceptors: [Element]

  /// What actions that interceptors sent wait for: the end of the interception on the same thread.
  private let waiting = Lock<[UInt: [@Sendable () -> Void]]>([:])

  init(_ interceptors: [Element]) {
    self.interceptors = interceptors
  }

  /// What goes on in place of an action.
  func intercept(_ action: I.Action, _ context: InterceptionContext<I.Action>) -> Interception<I.Action> {
    var (action, isReplaced) = (action, false)
    for interceptor in interceptors {
      switch interceptor.intercept(action, context: context) {
      case .pass: continue
      case .replace(let other): (action, isReplaced) = (other, true)
      case .reject(let reason): return .reject(reason)
      }
    }
    return isReplaced ? .replace(action) : .pass
  }

  func accepted(_ cause: Cause<I.Action>) {
    for interceptor in interceptors { interceptor.accepted(cause) }
  }

  func committed(_ mutation: I.Mutation, revision: Int, cause: Cause<I.Action>, state: borrowing I.State) {
    for interceptor in interceptors {
      interceptor.committed(mutation, revision: revision, cause: cause, state: state)
    }
  }

  func ended(_ cause: Cause<I.Action>, _ outcome: Outcome) {
    for interceptor in interceptors { interceptor.ended(cause, outcome: outcome) }
  }

  // MARK: Actions that interceptors send

  /// Does `intercept`, then what was put off meanwhile on this thread, one after the other.
  func withoutNesting<Result>(_ intercept: () -> Result) -> Result {
    let thread = currentThread()
    let isNested = waiting.withLock { waiting in
      if waiting[thread] != nil { return true }
      waiting[thread] = []
      return false
    }
    let result = intercept()
    if isNested { return result }
    while let next = takeNext(of: thread) { next() }
    return result
  }

  /// Puts `work` off if this thread is within an interception; says whether it did.
  func putOff(_ work: @escaping @Sendable () -> Void) -> Bool {
    let thread = currentThread()
    return waiting.withLock { waiting in
      guard waiting[thread] != nil else { return false }
      waiting[thread]?.append(work)
      return true
    }
  }

  /// The next work of the thread; without any, the thread intercepts no more.
  private func takeNext(of thread: UInt) -> (@Sendable () -> Void)? {
    waiting.withLock { waiting in
      guard let next = waiting[thread]?.first else {
        waiting[thread] = nil
        return nil
      }
      waiting[thread]?.removeFirst()
      return next
    }
  }
}
