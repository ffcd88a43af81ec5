/// What the witness of the configuration is told.
extension StoreCore {
  /// Lets the witness look on, from the first commit on; before anybody else knows this core.
  func begin(_ witness: any StoreWitness) {
    ownRegistry.tellsCommits = true
    witness.storeMade { [weak self] in self?.cancelAll() }
  }

  /// Runs the handler of one attempt, and says when it begins and when it has returned.
  @usableFromInline
  func handle(_ run: ActiveRun<I>, _ access: Run<I>, before witness: any StoreWitness) async throws {
    let number = witness.handlerBegins(run.action, of: I.self)
    defer { witness.handlerReturned(number) }
    try await runHandler(run, access)
  }
}
