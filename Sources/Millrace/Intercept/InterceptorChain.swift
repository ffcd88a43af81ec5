/// The interceptors of a store in their order.
@usableFromInline
final class InterceptorChain<I: Interactor>: Sendable {
  @usableFromInline
  typealias Element = any Interceptor<I.Action, I.Mutation, I.State>

  @usableFromInline let interceptors: [Element]
  private let witnesses: [any StepWitness]
  private let refusalWitnesses: [any RefusalWitness<I.Action>]
  private let restWitnesses: [any RestWitness<I.Action>]

  init(_ interceptors: [Element]) {
    self.interceptors = interceptors
    witnesses = interceptors.compactMap { $0 as? any StepWitness }
    refusalWitnesses = interceptors.compactMap { $0 as? any RefusalWitness<I.Action> }
    restWitnesses = interceptors.compactMap { $0 as? any RestWitness<I.Action> }
  }

  /// What goes on in place of an action.
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
    for witness in witnesses { witness.stepEnded(of: action) }
  }

  @usableFromInline
  func refused(_ cause: Cause<I.Action>) {
    for witness in refusalWitnesses { witness.refused(cause) }
  }

  /// The rest before the next attempt of a run.
  func rest(_ drawn: Duration, after attempt: Int, of cause: Cause<I.Action>) -> Duration {
    restWitnesses.reduce(drawn) { rest, witness in witness.rest(rest, after: attempt, of: cause) }
  }

  @inlinable
  func ended(_ cause: Cause<I.Action>, _ outcome: Outcome) {
    for interceptor in interceptors { interceptor.ended(cause, outcome: outcome) }
  }
}

/// An interceptor that also learns the rest before the next attempt of a run, and can replace it.
///
/// A recorder keeps the rest, because the random source takes another part away from it each time. A resimulation replaces the
/// rest by the recorded rest.
package protocol RestWitness<Action>: Sendable {
  /// The actions of the store.
  associatedtype Action: Sendable

  /// Returns the rest before the next attempt.
  ///
  /// Called with the store's lock, in the order of the interceptors; each call gets the rest that the previous call returned.
  ///
  /// - Parameters:
  ///   - drawn: the rest by the plan's backoff and jitter.
  ///   - attempt: the number of the attempt that failed, counted from 1.
  ///   - cause: the action that is handled.
  func rest(_ drawn: Duration, after attempt: Int, of cause: Cause<Action>) -> Duration
}
