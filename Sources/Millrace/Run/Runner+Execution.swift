extension Runner {
  /// Runs the handler of a run and gives it its outcome.
  @inlinable
  func execute(_ run: ActiveRun<I>) async {
    do {
      let mutations: I.Mutations
      do {
        // A scope of its own, so that the state is held no longer than the call.
        let state = await stateToHandle(run)
        guard !run.hasEnded else { return }
        mutations = await interactor.handle(run.action, state: state)
      }
      if let effect = mutations as? Effect<I> {
        // As `effect.perform(in:)`, without a call between the run and the closure.
        if case .body(let body) = effect.content {
          try await body(Run(of: run, at: self))
        } else {
          try await effect.perform(in: Run(of: run, at: self))
        }
      } else {
        try await commitAll(mutations, of: run)
      }
      finish(run, .finished)
    } catch is NotHandled {
      finish(run, .rejected(.notHandled))
    } catch {
      finish(run, .failed(error))
    }
  }

  /// The newest state: that of the take-up, if nothing was committed since, which saves a turn.
  @inlinable
  func stateToHandle(_ run: ActiveRun<I>) async -> I.State {
    if let snapshot = run.takeSnapshot(), snapshot.revision == revision {
      return snapshot.state
    }
    return await read().state
  }

  @inlinable
  func commitAll(_ mutations: I.Mutations, of run: ActiveRun<I>) async throws {
    var iterator = mutations.makeAsyncIterator()
    while let mutation = try await iterator.next(isolation: nil) {
      guard emit(mutation, of: run) else { return }
    }
  }

  /// Commits a mutation of a run, now or in its turn; false once the run has ended.
  @inlinable
  func emit(_ mutation: I.Mutation, of run: ActiveRun<I>) -> Bool {
    guard tryEnter() else { return emitBehindOthers(mutation, of: run) }
    let isLive = !run.hasEnded
    if isLive { commit(mutation, of: run) }
    leave()
    return isLive
  }

  @usableFromInline
  func emitBehindOthers(_ mutation: I.Mutation, of run: ActiveRun<I>) -> Bool {
    perform {
      if !run.hasEnded { self.commit(mutation, of: run) }
    }
    return !run.hasEnded
  }

  /// Gives a run whose handler has returned its outcome, behind what it has emitted.
  @inlinable
  func finish(_ run: ActiveRun<I>, _ outcome: Outcome) {
    guard tryEnter() else { return finishBehindOthers(run, outcome) }
    end(run, outcome)
    leave()
  }

  @usableFromInline
  func finishBehindOthers(_ run: ActiveRun<I>, _ outcome: Outcome) {
    perform { self.end(run, outcome) }
  }
}
