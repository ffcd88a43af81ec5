/// The interceptors of a store in their order.
@usableFromInline
final class InterceptorChain<I: Interactor>: Sendable {
  @usableFromInline
  typealias Element = any Interceptor<I>

  @usableFromInline let interceptors: [Element]
  private let sinks: [any EventSink<I>]
  let stepSinks: [any StepSink]

  init(_ interceptors: [Element]) {
    self.interceptors = interceptors
    sinks = interceptors.compactMap { $0 as? any EventSink<I> }
    stepSinks = interceptors.compactMap { $0 as? any StepSink }
  }

  /// The action that passes in place of an action, or its rejection.
  @inlinable
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

  @inlinable
  func accepted(_ cause: Cause<I.Action>) {
    for interceptor in interceptors { interceptor.accepted(cause) }
  }

  @inlinable
  func committed(_ mutation: I.Mutation, revision: Int, cause: Cause<I.Action>, state: borrowing I.State) {
    for interceptor in interceptors {
      interceptor.committed(mutation, revision: revision, cause: cause, state: state)
    }
  }

  @usableFromInline
  func stepEnded(of action: ActionID) {
    for sink in sinks { sink.stepEnded(of: action) }
  }

  @usableFromInline
  func refused(_ cause: Cause<I.Action>) {
    for sink in sinks { sink.refused(cause) }
  }

  /// The rest before the next attempt of a run.
  func rest(_ drawn: Duration, after attempt: Int, of cause: Cause<I.Action>) -> Duration {
    sinks.reduce(drawn) { rest, sink in sink.rest(rest, after: attempt, of: cause) }
  }

  @inlinable
  func ended(_ cause: Cause<I.Action>, _ outcome: Outcome) {
    for interceptor in interceptors { interceptor.ended(cause, outcome: outcome) }
  }
}

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
