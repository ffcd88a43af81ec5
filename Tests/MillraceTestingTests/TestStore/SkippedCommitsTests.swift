import Testing

@testable import MillraceTesting

@Suite("SkippedCommits")
struct SkippedCommitsTests {
  @Test("The first ones are kept, and all are counted")
  func bounded() {
    var skipped = SkippedCommits<Int>(keeping: 3)
    for number in 1...5 { skipped.add(number) }
    #expect(skipped.first == [1, 2, 3] && skipped.count == 5)
  }
}
