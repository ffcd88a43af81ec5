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
  ) -> (any Interceptor<I>)? {
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
    if life != 0, let world, world.runtime.isOwnedHere, world.runtime.hasEnded(life) { return }
    world?.noteCommit(
      String(describing: mutation), revision: revision, state: state, identity: identity,
      of: CaseName.name(of: interactor))
  }

  func handlerBegins<I: Interactor>(_ action: I.Action, of interactor: I.Type) -> Int {
    guard let world else { return 0 }
    let name: @Sendable () -> String = {
      "the handler of \(CaseName.name(of: interactor)) for \(ValueText.of(action, limit: 80))"
    }
    if world.runtime.isOwnedHere {
      world.runtime.meetHandler(name)
      if life != 0 { world.runtime.assignRunningTask(to: life) }
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
    world.runtime.handlerReturned()
    world.withRecord { $0.handlers[number] = nil }
  }
}

/// Keeps the events of one store in the trace of its world.
final class TraceInterceptor<I: Interactor>: Interceptor, EventSink {
  private weak let world: World?
  private let state: Lock<I.State>

  /// The largest number of characters of a value, and of lines of a difference.
  private static var limits: ValueDifference.Limits { ValueDifference.Limits(lines: 8, characters: 80) }

  init(_ world: World, from state: I.State) {
    self.world = world
    self.state = Lock(state)
  }

  func accepted(_ cause: Cause<I.Action>) {
    let sender = cause.context.parent.map { ", sent by \($0)" } ?? ""
    world?.trace { "\(Self.name(cause)) is accepted by \(CaseName.name(of: I.self))\(sender)" }
  }

  func committed(_ mutation: I.Mutation, revision: Int, cause: Cause<I.Action>, state: borrowing I.State) {
    let new = copy state
    let old = self.state.withLock { kept in
      defer { kept = new }
      return kept
    }
    world?.trace {
      let difference = ValueDifference(from: old, to: new, limits: Self.limits)
      let lines = difference.isEmpty ? ["  the state is the same"] : difference.lines.map { "  \($0)" }
      return (["\(Self.name(cause)) commits \(ValueText.of(mutation, limit: 80))"] + lines).joined(separator: "\n")
    }
  }

  func ended(_ cause: Cause<I.Action>, outcome: Outcome) {
    world?.trace { "\(Self.name(cause)) ends: \(outcome)" }
  }

  func refused(_ cause: Cause<I.Action>) {
    world?.trace { "\(Self.name(cause)) is not accepted by \(CaseName.name(of: I.self))" }
  }

  func rest(_ drawn: Duration, after attempt: Int, of cause: Cause<I.Action>) -> Duration {
    world?.trace { "\(Self.name(cause)) rests for \(drawn) after attempt \(attempt)" }
    return drawn
  }

  private static func name(_ cause: Cause<I.Action>) -> String {
    "\(cause.context.run) \(ValueText.of(cause.action, limit: 80))"
  }
}
