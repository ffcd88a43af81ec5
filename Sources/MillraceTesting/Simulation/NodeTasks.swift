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
  private var stopped: [JobQueue.Job] = []

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

  /// Lets a task belong to a life, also if a task of another one made it.
  mutating func assign(_ task: Int, to life: Life) {
    if task > earlierTasks { lives[task] = life }
  }

  func hasEnded(_ life: Life) -> Bool { !ended.isEmpty && ended.contains(life) }

  mutating func end(_ life: Life) { ended.insert(life) }

  /// Keeps a job that does not run before the world has ended.
  mutating func stop(_ job: JobQueue.Job) { stopped.append(job) }

  /// Takes the jobs out, so that their tasks come to their end.
  mutating func takeStopped() -> [JobQueue.Job] {
    defer { stopped = [] }
    return stopped
  }
}
