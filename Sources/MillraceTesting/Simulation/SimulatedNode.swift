public import Millrace

/// A part of a world that crashes by itself: a group of tasks and stores, with a storage that survives.
///
/// ```swift
/// let node = world.node("a")
/// node.run { await Outbox(node.storage).deliver() }
/// await world.pause(upTo: 100)
/// node.crash()
/// node.run { await Outbox(node.storage).deliver() }  // It begins with what the storage has kept.
/// ```
///
/// **Crash.** It ends a node between two steps of its tasks: none of them continues. A step that crashes its own node comes to its end,
/// and what it does after the crash has no effect on the storage, and breaks no rule. When the world has ended, the tasks of crashed nodes are
/// cancelled and come to their end, unobserved, so that they free what they hold.
///
/// **Tasks.** A task belongs to the node of the step that made it, and a handler to that of its store's ``configuration``. An actor that tasks
/// of two nodes call fails the seed, because a crash of one would keep it from the other. Globals survive a crash; a node begins anew with
/// what its body makes.
public final class SimulatedNode: Sendable {
  private struct State {
    var life: NodeTasks.Life
    var tasks: [Task<Void, Never>] = []
  }

  /// The name, which failures and traces show.
  public let name: String

  /// The storage, which survives crashes.
  public let storage: SimulatedStorage

  private let queue: JobQueue
  private let state: Lock<State>

  init(_ name: String, in world: World, life: NodeTasks.Life) {
    self.name = name
    queue = world.queue
    storage = SimulatedStorage(in: world)
    state = Lock(State(life: life))
  }

  /// The life that the node has now.
  var life: NodeTasks.Life { state.withLock { $0.life } }

  /// A configuration for the stores of this node, otherwise as ``World/configuration``.
  public var configuration: StoreConfiguration {
    guard let world = queue.world else { return StoreConfiguration() }
    return world.configuration(life: life)
  }

  /// Begins a task that belongs to the node, in the node's present life.
  ///
  /// Call it from tasks of the world.
  ///
  /// - Parameter body: An error that it throws fails the seed, unless the node has crashed.
  /// - Returns: The task; a crash neither ends nor cancels it.
  @discardableResult
  public func run(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, Never> {
    guard queue.isUsedHere("run") else { return Task {} }
    let life = life
    let task = queue.making(in: life) {
      Task(name: "node \(name)") { [queue] in
        do {
          try await body()
        } catch {
          if !queue.hasEnded(life) { queue.world?.fail(WorldFailure(thrown: error)) }
        }
      }
    }
    state.withLock { $0.tasks.append(task) }
    return task
  }

  /// Ends the life of the node: its tasks stop, and the seed decides which writes its storage keeps of those that are not synchronized.
  ///
  /// A next life begins with the next ``run(_:)``. Call it from tasks of the world.
  public func crash() {
    guard queue.isUsedHere("crash") else { return }
    let ended = state.withLock { state in
      defer { state.life = queue.beginLife(of: name) }
      return state.life
    }
    queue.endLife(ended)
    queue.world?.trace { "node \(name) crashes" }
    storage.crash()
  }

  /// Cancels all tasks of the node.
  func cancel() {
    for task in state.withLock({ $0.tasks }) { task.cancel() }
  }
}

extension World {
  /// The node of this name; the same one each time.
  ///
  /// Call it from tasks of the world.
  public func node(_ name: String) -> SimulatedNode {
    if let node = withRecord({ $0.nodes[name] }) { return node }
    let node = SimulatedNode(name, in: self, life: queue.isUsedHere("node") ? queue.beginLife(of: name) : 0)
    withRecord { $0.nodes[name] = node }
    return node
  }

  /// Suspends for a number of steps that the seed draws, or until nothing else can continue; a failing seed is left with as few as fail too.
  ///
  /// So what follows comes at any step of the others, such as a crash. A cancellation does not make it shorter.
  ///
  /// - Parameter steps: The largest number.
  public func pause(upTo steps: Int) async {
    // More steps than any world takes.
    let count = choose("pause") { $0.draw(upTo: min(max(steps, 0), 1 << 40)) }
    guard queue.isOwnedHere else { return }
    let words = count == 1 ? "1 step" : "\(count) steps"
    noteDraw(words)
    trace { "pauses for \(words)" }
    await queue.pause(for: count)
  }
}
