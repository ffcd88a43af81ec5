public import Millrace

extension World {
  /// A part of a world that crashes by itself: a group of tasks and stores, with a storage that survives.
  ///
  /// ```swift
  /// let node = world.node("a")
  /// node.run { await Outbox(node.storage).deliver() }
  /// await world.pause(upTo: 100)
  /// node.crash()
  /// node.run { await Outbox(node.storage).deliver() }  // It begins with the kept writes.
  /// ```
  ///
  /// **Crash.** It ends a node between two steps of its tasks: none of them continues. A step that crashes its own node comes to its end,
  /// and its work after the crash has no effect on the storage, and breaks no rule. When the world has ended, the tasks of crashed nodes are
  /// cancelled and come to their end, unobserved, so that they free their memory.
  ///
  /// **Tasks.** A task belongs to the node of the step that made it, and a handler to the node of its store's ``configuration``. An actor that tasks
  /// of two nodes call fails the seed, because a crash of one would keep it from the other. Globals survive a crash; a node begins anew with
  /// what its body makes.
  public final class Node: Sendable {
    private struct State {
      var life: NodeTasks.Life
      var tasks: [Task<Void, Never>] = []
    }

    /// The name, which failures and traces show.
    public let name: String

    /// The storage, which survives crashes.
    public let storage: Storage

    private let runtime: WorldRuntime
    private let state: Lock<State>

    init(_ name: String, in world: World, life: NodeTasks.Life) {
      self.name = name
      runtime = world.runtime
      storage = Storage(in: world)
      state = Lock(State(life: life))
    }

    /// The life that the node has now.
    var life: NodeTasks.Life { state.withLock { $0.life } }

    /// A configuration for the stores of this node, otherwise as ``World/configuration``.
    public var configuration: StoreConfiguration {
      guard let world = runtime.world else { return StoreConfiguration() }
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
      guard runtime.isUsedHere("run") else { return Task {} }
      let life = life
      let task = runtime.making(in: life) {
        Task(name: "node \(name)") { [runtime] in
          do {
            try await body()
          } catch {
            if !runtime.hasEnded(life) { runtime.world?.fail(WorldFailure(thrown: error)) }
          }
        }
      }
      state.withLock { $0.tasks.append(task) }
      return task
    }

    /// Ends the life of the node: its tasks stop, and the seed decides which unsynchronized writes its storage keeps.
    ///
    /// A next life begins with the next ``run(_:)``. Call it from tasks of the world.
    public func crash() {
      guard runtime.isUsedHere("crash") else { return }
      let ended = state.withLock { state in
        defer { state.life = runtime.beginLife(of: name) }
        return state.life
      }
      runtime.endLife(ended)
      runtime.world?.trace { "node \(name) crashes" }
      storage.crash()
    }

    /// Cancels all tasks of the node.
    func cancel() {
      for task in state.withLock({ $0.tasks }) { task.cancel() }
    }
  }
}

extension World {
  /// The node of this name; the same one each time.
  ///
  /// Call it from tasks of the world.
  public func node(_ name: String) -> Node {
    if let node = withRecord({ $0.nodes[name] }) { return node }
    let node = Node(name, in: self, life: runtime.isUsedHere("node") ? runtime.beginLife(of: name) : 0)
    withRecord { $0.nodes[name] = node }
    return node
  }

  /// Suspends for a number of steps that the seed draws, or until nothing else can continue; a failing seed is left with as few as fail too.
  ///
  /// So the code behind it, such as a crash, comes at any step of the others. A cancellation does not make it shorter.
  ///
  /// - Parameter steps: The largest number.
  public func pause(upTo steps: Int) async {
    // More steps than any world takes.
    let count = choose("pause") { $0.draw(upTo: min(max(steps, 0), 1 << 40)) }
    guard runtime.isOwnedHere else { return }
    let words = count == 1 ? "1 step" : "\(count) steps"
    noteDraw(words)
    trace { "pauses for \(words)" }
    await runtime.pause(for: count)
  }
}

/// The tasks of nodes, and the jobs of those that a crash has stopped; only the world's thread uses it.
struct NodeTasks {
  /// The time from one crash of a node to the next has a number of its own; 0 stands for no node.
  typealias Life = Int

  /// By the numbers of tasks; a task that is missing is of no node.
  private var lives: [Int: Life] = [:]
  private var ended: Set<Life> = []
  /// The names of the nodes, by their lives.
  private var names = [""]

  /// An actor that a task of a node has called first; its address may be that of another one later.
  private struct Called {
    weak var actor: AnyObject?
    let life: Life
  }

  private var calledActors: [ObjectIdentifier: Called] = [:]

  /// The number of tasks that the world had before its first node; they are of none.
  private var earlierTasks = Int.max

  /// The jobs of ended lives, which do not run.
  private var stopped: [WorldRuntime.Job] = []

  /// The life that the next new task belongs to; nil lets it be that of the step that makes it.
  var maker: Life?

  /// Whether the world has a node; without one nothing has to be asked.
  var areUsed: Bool { names.count > 1 }

  /// Begins a life of the node of this name.
  ///
  /// - Parameter tasks: the number of tasks that the world has met.
  mutating func begin(_ name: String, after tasks: Int) -> Life {
    earlierTasks = min(earlierTasks, tasks)
    names.append(name)
    return names.count - 1
  }

  /// Notes a call of an actor by a task of a life; the names of two nodes if another node has called it before.
  mutating func noteCall(of actor: AnyObject, in life: Life) -> (first: String, second: String)? {
    guard life > 0 else { return nil }
    let key = ObjectIdentifier(actor)
    guard let called = calledActors[key], called.actor != nil else {
      calledActors[key] = Called(actor: actor, life: life)
      return nil
    }
    return names[called.life] == names[life] ? nil : (names[called.life], names[life])
  }

  /// The life that a task belongs to; one that is new belongs to that of the step which made it.
  mutating func life(of task: Int, madeIn life: Life) -> Life {
    guard task > earlierTasks else { return 0 }
    if let known = lives[task] { return known }
    lives[task] = maker ?? life
    return maker ?? life
  }

  /// Assigns a task to a life, also if a task of another life made it.
  mutating func assign(_ task: Int, to life: Life) {
    if task > earlierTasks { lives[task] = life }
  }

  func hasEnded(_ life: Life) -> Bool { !ended.isEmpty && ended.contains(life) }

  mutating func end(_ life: Life) { ended.insert(life) }

  /// Keeps a job that does not run before the world has ended.
  mutating func stop(_ job: WorldRuntime.Job) { stopped.append(job) }

  /// Takes the jobs out, so that their tasks come to their end.
  mutating func takeStopped() -> [WorldRuntime.Job] {
    defer { stopped = [] }
    return stopped
  }
}
