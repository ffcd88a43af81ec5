/// The tasks of a world, and the facts known about them.
///
/// A task's id is greater than those of the tasks that were made before it. So the tasks of the world are those that were made
/// since it began, on its thread; one that another thread has enqueued first is a stranger.
struct KnownTasks {
  fileprivate enum Name: Sendable {
    case notAsked
    case none
    case name(String)
    case handler(@Sendable () -> String)
  }

  /// The numbers of the world's tasks, by their ids, in the order in which it met them.
  private var numbers: [UInt64: Int] = [:]
  /// By number; the first element is that of the turns of actors.
  private var names = [Name.none]
  /// The tasks by those that made them, with the same numbers.
  private(set) var tree = TaskTree()
  /// Tasks that were made outside while the world ran.
  private var strangers: Set<UInt64> = []
  private var beginning: UInt64 = 0
  /// The ids of the tasks that others awaited last, by the numbers of the others.
  private var awaited: [Int: UInt64] = [:]

  /// From now on only what is younger than this task is of the world, and what it has met already; the task itself is not.
  mutating func worldBegins(after id: UInt64) {
    beginning = id
    guard numbers.removeValue(forKey: id) != nil else { return }
    names.removeLast()
    tree.removeLast()
  }

  /// The number of a task that is enqueued on the world's thread, or runs there; 0 for the turn of an actor, nil for a task that
  /// is not of the world.
  ///
  /// - Parameter parent: the task that makes it, if it is new; 0 for none.
  mutating func number(of id: UInt64, madeBy parent: Int = 0) -> Int? {
    if id == 0 { return 0 }
    if let number = numbers[id] { return number }
    guard id > beginning, !strangers.contains(id) else { return nil }
    names.append(.notAsked)
    tree.add(madeBy: parent)
    numbers[id] = names.count - 1
    return names.count - 1
  }

  /// The number of the task that runs on the world's thread; 0 if it is not of the world, as before that begins.
  ///
  /// - Parameter parent: the task that makes it, if it is new.
  mutating func numberOfRunning(_ id: UInt64, madeBy parent: Int = 0) -> Int {
    beginning == 0 ? 0 : number(of: id, madeBy: parent) ?? 0
  }

  /// The number of the next step among those of a task.
  mutating func nextStep(of task: Int) -> Int { tree.nextStep(of: task) }

  /// The number of a task that is enqueued on another thread; one that is unknown is a stranger from now on.
  mutating func numberOrStranger(of id: UInt64) -> Int? {
    if let number = numbers[id] { return number }
    if id > beginning { strangers.insert(id) }
    return nil
  }

  /// Notes that a task awaits the value of the task with an id; the number of that one, or nil if the world has not met it.
  mutating func note(_ task: Int, awaits id: UInt64) -> Int? {
    awaited[task] = id
    return numbers[id]
  }

  /// The task that each task awaited last, by their numbers.
  var awaits: [Int: Int] { awaited.compactMapValues { numbers[$0] } }

  /// The number of tasks that the world has met.
  var count: Int { names.count - 1 }

  /// Notes that this task is a handler.
  ///
  /// - Parameter parent: the task that makes it, if it is new.
  mutating func meet(_ id: UInt64, madeBy parent: Int = 0, handler name: @escaping @Sendable () -> String) {
    guard let number = number(of: id, madeBy: parent), number > 0 else { return }
    names[number] = .handler(name)
  }

  /// Notes that this task is no handler any more, so that its action is held no longer.
  mutating func handlerReturned(_ id: UInt64) {
    guard let number = numbers[id], case .handler = names[number] else { return }
    names[number] = .none
  }

  /// Whether it is not known yet what a task is called, if it has a name.
  func isNameless(_ number: Int) -> Bool {
    if case .notAsked = names[number] { true } else { false }
  }

  /// Notes what a task is called, unless that is known.
  mutating func name(_ id: UInt64, _ name: String?) {
    guard let number = numbers[id], isNameless(number) else { return }
    names[number] = name.map { .name($0) } ?? .none
  }

  /// A task as the subject of a sentence; what it asks an action for is asked when that is read.
  struct Subject: CustomStringConvertible, Sendable {
    fileprivate let number: Int
    fileprivate let name: Name

    var description: String {
      switch name {
      case .notAsked, .none: number == 0 ? "an actor of the world" : "task \(number) of the world"
      case .name(let name): "task \(number) of the world (\(name))"
      case .handler(let name): "\(name()) (task \(number) of the world)"
      }
    }
  }

  /// The names of the tasks in the lines of a trace, by their numbers.
  var labels: [String] {
    names.enumerated().map { number, name in
      switch (number, name) {
      case (0, _): "an actor"
      case (1, _): "the body"
      case (_, .name(let name)): "task \(number) (\(name))"
      default: "task \(number)"
      }
    }
  }

  /// The task, or an actor if it is none of the world's, as the subject of a sentence.
  func subject(_ id: UInt64) -> Subject { subject(number: numbers[id] ?? 0) }

  /// The same by its number.
  func subject(number: Int) -> Subject { Subject(number: number, name: names[number]) }
}

/// The tasks of a world by the tasks that made them, so that a task has the same name in each order of the world.
///
/// A name is a path: `1` is the body, and `1.2` the second task that the body made. Task 0 stands for no task; it is called `0`, and the tasks
/// that it makes have names of one number.
struct TaskTree: Sendable {
  private struct Node: Sendable {
    let parent: Int32
    /// The number among the tasks that the parent made, from 1 on.
    let child: Int32
    let identity: UInt64
    var children: Int32 = 0
    var steps: Int32 = 0
  }

  /// By the numbers of the tasks.
  private var nodes = [Node(parent: 0, child: 0, identity: Self.identity([0]))]

  /// Adds a task with the next number.
  mutating func add(madeBy parent: Int) {
    nodes[parent].children += 1
    let child = nodes[parent].children
    let above = parent == 0 ? Self.root : nodes[parent].identity
    nodes.append(Node(parent: Int32(parent), child: child, identity: Self.identity(above, Int(child))))
  }

  /// Takes the last task out.
  mutating func removeLast() {
    let last = nodes.removeLast()
    nodes[Int(last.parent)].children -= 1
  }

  /// The number of a step among those of a task, from 0 on; each call gives the next one.
  mutating func nextStep(of task: Int) -> Int {
    defer { nodes[task].steps += 1 }
    return Int(nodes[task].steps)
  }

  /// The name of a task.
  func path(of task: Int) -> [Int] {
    var (path, task) = ([Int](), task)
    repeat {
      path.append(Int(nodes[task].child))
      task = Int(nodes[task].parent)
    } while task != 0
    return path.reversed()
  }

  /// A number that stands for the name of a task.
  func identity(of task: Int) -> UInt64 { nodes[task].identity }

  /// The position of a draw or a step of a task.
  func position(_ number: Int, of task: Int) -> Simulation.Plan.Position {
    Simulation.Plan.Position(task: path(of: task), number: number)
  }

  // MARK: Numbers that stand for names

  private static let root: UInt64 = 0x7A5C_0000_0000_0000

  static func identity(_ path: some Sequence<Int>) -> UInt64 { path.reduce(root) { identity($0, $1) } }

  /// The number for a name that is longer by one component.
  static func identity(_ above: UInt64, _ component: Int) -> UInt64 {
    var generator = SeededGenerator(seed: above &+ UInt64(bitPattern: Int64(component)))
    return generator.next()
  }

  /// The values of a plan by numbers that stand for their positions.
  static func identities(_ choices: [Simulation.Plan.Position: Int]) -> [UInt64: Int] {
    Dictionary(choices.map { (identity($0.key.task + [$0.key.number]), $0.value) }) { first, _ in first }
  }
}
