/// What a configuration lets look on at its stores, whatever their types: the world of a simulation.
///
/// It changes nothing of the way that actions go.
@usableFromInline
package protocol StoreWitness: Sendable {
  /// Called once, when a store is made.
  ///
  /// - Parameter cancelAll: cancels all that the store has accepted; it does not hold the store.
  func storeMade(cancelAll: @escaping @Sendable () -> Void)

  /// Called when a store is to have a number, once for each; gives one below 0, or nil for one among those of the process.
  func numberStore() -> Int?

  /// Called after each commit, with the store's lock.
  ///
  /// - Parameter identity: the object that ``Store/identity`` gives.
  func committed<I: Interactor>(
    _ mutation: I.Mutation, revision: Int, state: I.State, identity: AnyObject, of interactor: I.Type)

  /// Called in the task of a handler, before that is called; gives a number for ``handlerReturned(_:)``.
  func handlerBegins<I: Interactor>(_ action: I.Action, of interactor: I.Type) -> Int

  /// Called in the task of a handler when it has returned, and all that it gave was committed.
  func handlerReturned(_ number: Int)
}
