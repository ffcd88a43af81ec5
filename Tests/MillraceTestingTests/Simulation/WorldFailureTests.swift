import Testing

@testable import MillraceTesting

@Suite("WorldFailure")
struct WorldFailureTests {
  private func failure(_ kind: WorldFailure.Kind, _ rule: String, line: UInt) -> WorldFailure {
    WorldFailure(kind, rule, file: #filePath, line: line)
  }

  @Test("Of another kind it is another one")
  func kinds() {
    #expect(!failure(.always, "a", line: 1).isLike(failure(.eventually, "a", line: 1)))
  }

  @Test(
    "A rule is the same at its line and in its words",
    arguments: [WorldFailure.Kind.always, .eventually, .atTheEnd, .expectation])
  func rules(kind: WorldFailure.Kind) {
    let rule = failure(kind, "a", line: 1)
    #expect(rule.isLike(rule))
    #expect(!rule.isLike(failure(kind, "b", line: 1)) && !rule.isLike(failure(kind, "a", line: 2)))
  }

  @Test("A failure of a fake may have other words at its line")
  func fakes() {
    #expect(failure(.failure, "There are 3.", line: 1).isLike(failure(.failure, "There is 1.", line: 1)))
    #expect(!failure(.failure, "There are 3.", line: 1).isLike(failure(.failure, "There are 3.", line: 2)))
  }

  @Test("An expectation may have other words at its place")
  func issues() {
    let (here, there) = (#_sourceLocation, #_sourceLocation)
    #expect(WorldFailure(.issue, "3 == 4", at: here).isLike(WorldFailure(.issue, "1 == 4", at: here)))
    var other = there
    other.line += 1
    #expect(!WorldFailure(.issue, "3 == 4", at: here).isLike(WorldFailure(.issue, "3 == 4", at: other)))
  }

  @Test("An error that was thrown is the same by its type and its case, whatever parts it has")
  func errors() {
    struct Refused: Error { var reason = "" }
    struct Lost: Error {}
    enum Trouble: Error { case refused(Int), lost }
    func failure(_ error: any Error) -> WorldFailure { WorldFailure(thrown: error) }
    #expect(failure(Refused(reason: "a")).isLike(failure(Refused(reason: "b"))))
    #expect(!failure(Refused()).isLike(failure(Lost())))
    #expect(failure(Trouble.refused(3)).isLike(failure(Trouble.refused(1))))
    #expect(!failure(Trouble.refused(3)).isLike(failure(Trouble.lost)))
    #expect(failure(Lost()).sentence == "the body threw Lost()")
  }

  @Test(
    "Of the rest there is one in a world",
    arguments: [WorldFailure.Kind.sleepEscaped, .standsStill, .doesNotEnd])
  func others(kind: WorldFailure.Kind) {
    #expect(WorldFailure(kind, "a").isLike(WorldFailure(kind, "b")))
  }

  @Test("Failures that XCTest shows each time are not tried again")
  func assertions() {
    #expect(!WorldFailure(.assertion).mayBeRepeated && WorldFailure(.expectation).mayBeRepeated)
  }
}
