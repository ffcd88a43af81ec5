import Testing

@testable import Millrace

@Suite("RunList")
struct ActiveRunTests {
  let runner = Runner(state: Script.State(), interactor: Script(), configuration: StoreConfiguration())

  /// Something done to a list of the runs 1, 2, 3, and what is left of them.
  struct Row: Sendable, CustomTestStringConvertible {
    let removed: [Int]
    let left: [Int]

    var testDescription: String { "\(removed) removed" }
  }

  @Test(
    "Runs are removed wherever they stand, and the others keep their order",
    arguments: [
      Row(removed: [], left: [1, 2, 3]), Row(removed: [1], left: [2, 3]), Row(removed: [2], left: [1, 3]),
      Row(removed: [3], left: [1, 2]), Row(removed: [2, 1], left: [3]), Row(removed: [2, 3], left: [1]),
      Row(removed: [3, 1, 2], left: []), Row(removed: [2, 2], left: [1, 3]),
    ])
  func runsAreRemoved(row: Row) {
    var list = RunList<Script>()
    let runs = (1...3).map { ActiveRun(id: .takenAtOnce($0), action: Script.Action(), runner: runner) }
    for run in runs { list.append(run) }
    for number in row.removed { list.remove(runs[number - 1]) }
    #expect(list.isEmpty == row.left.isEmpty)
    var popped: [ActionID] = []
    while let run = list.popFirst() { popped.append(run.id) }
    #expect(popped == row.left.map { .takenAtOnce($0) })
    #expect(list.isEmpty)
    #expect(list.last == nil)
  }

  @Test("A run that was removed can be removed again, and a list that was emptied takes runs")
  func removedTwice() {
    var list = RunList<Script>()
    let run = ActiveRun(id: .takenAtOnce(1), action: Script.Action(), runner: runner)
    list.remove(run)
    #expect(list.isEmpty)
    list.append(run)
    list.remove(run)
    list.append(run)
    #expect(list.popFirst() === run)
    #expect(list.popFirst() == nil)
  }
}
