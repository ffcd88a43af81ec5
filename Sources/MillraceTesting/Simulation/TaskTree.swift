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

  /// The place of a draw or a step of a task.
  func place(_ number: Int, of task: Int) -> SimulationPlan.Place {
    SimulationPlan.Place(task: path(of: task), number: number)
  }

  // MARK: Numbers that stand for names

  private static let root: UInt64 = 0x7A5C_0000_0000_0000

  static func identity(_ path: some Sequence<Int>) -> UInt64 { path.reduce(root) { identity($0, $1) } }

  /// The number for a name that is longer by one component.
  static func identity(_ above: UInt64, _ component: Int) -> UInt64 {
    var generator = SeededGenerator(seed: above &+ UInt64(bitPattern: Int64(component)))
    return generator.next()
  }

  /// The values of a plan by numbers that stand for their places.
  static func identities(_ choices: [SimulationPlan.Place: Int]) -> [UInt64: Int] {
    Dictionary(choices.map { (identity($0.key.task + [$0.key.number]), $0.value) }) { first, _ in first }
  }
}
