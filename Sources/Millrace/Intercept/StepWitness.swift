/// An interceptor that is also told when the step is over in which an action was accepted.
///
/// What was committed since it was told of the action by ``Interceptor/accepted(_:)`` was committed in that one step:
/// what the action was decided to commit, and the closing mutations of those whose place it took. Commits of handlers
/// are never among it.
package protocol StepWitness: Sendable {
  /// Called with the store's lock, once for each action that was accepted, also if it waits or has ended.
  func stepEnded(of action: ActionID)
}
