import Millrace

@testable import MillraceTesting

/// Scenarios of two tasks that several suites run.
enum TwoTasks {
  /// The order in which two tasks come to their two steps, such as "abab", with something between the steps.
  static func order(_ between: @escaping @Sendable () async -> Void) async -> String {
    let order = Box("")
    await withTaskGroup { group in
      for name in ["a", "b"] {
        group.addTask {
          order.value += name
          await between()
          order.value += name
        }
      }
    }
    return order.value
  }

  /// One task looks in a loop whether the other has set a flag, which an actor has.
  static func waitInALoop(yields: Bool) async {
    let (flag, looks) = (Flag(), Box(0))
    await withTaskGroup { group in
      group.addTask {
        // Without work of its own between them the calls are one stay on the actor, which nothing ends.
        while await !flag.isSet {
          looks.value += 1
          if yields { await Task.yield() }
        }
      }
      group.addTask { await flag.set() }
    }
  }

  private actor Flag {
    var isSet = false

    func set() { isSet = true }
  }

  /// Is idle whenever it is called.
  actor Idle {
    func call() {}
  }
}
