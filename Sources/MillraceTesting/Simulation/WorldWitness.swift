import Millrace

/// Looks on at the stores of a world, for it; does not hold it.
final class WorldWitness: InterceptingWitness {
  private weak let world: World?
  /// The life of the node that its stores belong to; 0 for none.
  private let life: NodeTasks.Life

  init(_ world: World, life: NodeTasks.Life) {
    self.world = world
    self.life = life
  }

  func storeMade(cancelAll: @escaping @Sendable () -> Void, openActions: @escaping @Sendable () -> [OpenAction]) {
    world?.withRecord {
      $0.cancellations.append(cancelAll)
      $0.openActions.append(openActions)
    }
  }

  func interceptor<I: Interactor>(
    from state: I.State, of interactor: I.Type
  ) -> (any Interceptor<I.Action, I.Mutation, I.State>)? {
    guard let world, world.isTraced else { return nil }
    return TraceInterceptor<I>(world, from: state)
  }

  /// The world numbers its own stores, so that runs are called the same whatever stores there were before in the process.
  func numberStore() -> Int? {
    world?.withRecord { content in
      content.lastStore -= 1
      return content.lastStore
    }
  }

  func committed<I: Interactor>(
    _ mutation: I.Mutation, revision: Int, state: I.State, identity: AnyObject, of interactor: I.Type
  ) {
    if life != 0, let world, world.queue.isOwnedHere, world.queue.hasEnded(life) { return }
    world?.noteCommit(
      String(describing: mutation), revision: revision, state: state, identity: identity,
      of: CaseName.name(of: interactor))
  }

  func handlerBegins<I: Interactor>(_ action: I.Action, of interactor: I.Type) -> Int {
    guard let world else { return 0 }
    let name: @Sendable () -> String = {
      "the handler of \(CaseName.name(of: interactor)) for \(ValueText.of(action, limit: 80))"
    }
    if world.queue.isOwnedHere {
      world.queue.meetHandler(name)
      if life != 0 { world.queue.assignRunningTask(to: life) }
    }
    world.trace { "\(name()) begins" }
    return world.withRecord { content in
      content.lastHandler += 1
      content.handlers[content.lastHandler] = name
      return content.lastHandler
    }
  }

  func handlerReturned(_ number: Int) {
    guard let world else { return }
    world.queue.handlerReturned()
    world.withRecord { $0.handlers[number] = nil }
  }
}
