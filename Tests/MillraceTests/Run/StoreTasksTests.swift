import MillraceTesting
import Testing

@testable import Millrace

@Suite("StoreTasks")
struct StoreTasksTests {
  @Test("Handlers that have not returned are cancelled in the order of their numbers, and later ones at once")
  func order() {
    let tasks = StoreTasks()
    let cancelled = Recorder<Int>()
    let numbers = (0..<20).map { _ in tasks.nextNumber() }
    for number in numbers.reversed() { tasks.hasBegun(number) { cancelled.record(number) } }
    tasks.hasReturned(numbers[3])
    tasks.end()
    #expect(cancelled.recorded == numbers.filter { $0 != numbers[3] })
    let late = tasks.nextNumber()
    tasks.hasBegun(late) { cancelled.record(late) }
    #expect(cancelled.recorded.last == late && cancelled.recorded.count == 20)
  }
}
