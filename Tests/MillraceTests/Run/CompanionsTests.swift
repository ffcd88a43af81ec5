import MillraceTesting
import Testing

@testable import Millrace

@Suite("Companions")
struct CompanionsTests {
  @Test("Those that have not returned are cancelled in the order of their numbers, and later ones at once")
  func order() {
    let companions = Companions()
    let cancelled = Recorder<Int>()
    let numbers = (0..<20).map { _ in companions.next() }
    for number in numbers.reversed() { companions.hasBegun(number) { cancelled.record(number) } }
    companions.hasReturned(numbers[3])
    companions.end()
    #expect(cancelled.recorded == numbers.filter { $0 != numbers[3] })
    let late = companions.next()
    companions.hasBegun(late) { cancelled.record(late) }
    #expect(cancelled.recorded.last == late && cancelled.recorded.count == 20)
  }
}
