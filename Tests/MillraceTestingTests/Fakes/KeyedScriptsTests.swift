import Testing

@testable import MillraceTesting

/// Scripts and calls; an answer is a number, and a request is its key in lower case.
@Suite("KeyedScripts")
struct KeyedScriptsTests {
  private let location = TestLine("Tests/Some.swift", 7)
  private let keysMade = Box(0)

  private func scripts(_ list: [(key: String, answer: Int)]) -> KeyedScripts<String, Int> {
    KeyedScripts(list.map { (key: $0.key, script: FakeScript($0.answer, times: 1, location: location)) }) {
      [keysMade] request in
      keysMade.value += 1
      return request == "keyless" ? nil : request.lowercased()
    }
  }

  @Test("A request gets the scripts with its key in the order in which they were written, and each is used once")
  func inOrder() {
    var scripts = scripts([("a", 1), ("b", 2), ("a", 3)])
    #expect(["A", "c", "keyless", "a", "a"].map { scripts.take($0)?.answer } == [1, nil, nil, 3, nil])
    #expect(scripts.count == 1)
    #expect(scripts.unused.map(\.key) == ["b"])
    #expect(scripts.take("b")?.answer == 2)
    keysMade.value = 0
    #expect(scripts.take("b") == nil)
    #expect(keysMade.value == 0)
  }

  @Test("Unused scripts are told in the order in which they were written")
  func unused() {
    var scripts = scripts((0..<100).map { ("\($0 % 10)", $0) })
    for request in ["3", "3", "7"] { _ = scripts.take(request) }
    #expect(scripts.unused.map(\.script.answer) == (0..<100).filter { ![3, 13, 7].contains($0) })
  }

  @Test("A call makes its own key once, however many scripts there are")
  func linear() {
    var scripts = FakeScripts<String, Int>()
    scripts.add(self.scripts((0..<10_000).map { ("\($0)", $0) }))
    for number in (0..<10_000).reversed() {
      if scripts.take("\(number)")?.answer != number { Issue.record("\(number) has another answer.") }
    }
    #expect(keysMade.value == 10_000)
    #expect(!scripts.hasMatches)
  }

  @Test(
    "They come after those for calls that match, before what always answers those, and before what is next in order")
  func precedence() {
    var scripts = FakeScripts<String, Int>()
    scripts.add(FakeScript(1, times: 1, location: location))
    scripts.add(FakeScript(2, times: nil, matches: { $0 == "a" }, location: location))
    scripts.add(self.scripts([("a", 3), ("b", 4)]))
    scripts.add(self.scripts([("a", 5)]))
    scripts.add(FakeScript(6, times: 1, matches: { $0 == "a" }, location: location))
    #expect(scripts.leftCount == 5)
    #expect(["a", "a", "a", "a", "c", "a"].map { scripts.take($0)?.answer } == [6, 3, 5, 2, 1, 2])
    #expect(scripts.leftCount == 1)
    #expect(scripts.takeUnused().map(\.script.answer) == [4])
    #expect(scripts.leftCount == 0)
    #expect(scripts.take("b") == nil)
  }
}
