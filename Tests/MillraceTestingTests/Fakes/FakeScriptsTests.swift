import Testing

@testable import MillraceTesting

/// Tables of scripts and calls; an answer is a word, and so is a request.
@Suite("FakeScripts")
struct FakeScriptsTests {
  typealias Script = FakeScript<String, String>

  private func scripts(_ list: [Script]) -> FakeScripts<String, String> {
    var scripts = FakeScripts<String, String>()
    for script in list { scripts.add(script) }
    return scripts
  }

  private func script(_ answer: String, times: Int? = 1, for request: String? = nil) -> Script {
    let location = TestLine("Tests/Some.swift", 7)
    guard let request else { return Script(answer, times: times, location: location) }
    return Script(answer, times: times, matches: { $0 == request }, location: location)
  }

  private func check(_ list: [Script], _ calls: [(request: String, answer: String?)], unused: [String] = []) {
    var scripts = scripts(list)
    for (index, call) in calls.enumerated() {
      #expect(scripts.take(call.request)?.answer == call.answer, "call \(index): \(call.request)")
    }
    #expect(scripts.leftCount == unused.count)
    #expect(scripts.takeUnused().map(\.script.answer) == unused)
    #expect(scripts.leftCount == 0)
  }

  @Test("Scripts are used in order, each as often as it says, and then there is none")
  func inOrder() {
    check(
      [script("one"), script("two", times: 2), script("three")],
      [("a", "one"), ("b", "two"), ("a", "two"), ("c", "three"), ("a", nil)])
  }

  @Test("Scripts for calls that match come before those next in order, first written first")
  func matchesGoFirst() {
    check(
      [script("next"), script("first", for: "a"), script("second", times: 2, for: "a")],
      [("a", "first"), ("b", "next"), ("a", "second"), ("b", nil), ("a", "second"), ("a", nil)])
  }

  @Test(
    "A standing answer comes after scripts that have to be used, the last one written applies, and it is never unused")
  func alwaysComesLast() {
    check(
      [script("old", times: nil), script("always", times: nil), script("next")],
      [("a", "next"), ("a", "always"), ("b", "always")])
    check(
      [
        script("any", times: nil), script("old", times: nil, for: "a"), script("always a", times: nil, for: "a"),
        script("once a", for: "a"), script("next"),
      ],
      [("a", "once a"), ("a", "always a"), ("b", "next"), ("b", "any"), ("a", "always a")])
  }

  @Test("Scripts not used, or not often enough, are left, those for calls that match first")
  func whatIsLeft() {
    check(
      [script("one"), script("two", times: 3), script("for b", for: "b"), script("for a", times: 2, for: "a")],
      [("a", "for a"), ("c", "one"), ("c", "two")], unused: ["for b", "for a", "two"])
  }

  @Test("It counts how often a script was used")
  func usesAreCounted() {
    var scripts = scripts([script("one", times: 3), script("for a", times: 3, for: "a")])
    for request in ["b", "a", "a"] { _ = scripts.take(request) }
    #expect(scripts.takeUnused().map(\.script.used) == [2, 1])
  }

  @Test("A script for no calls is none")
  func noTimes() {
    check([script("none", times: 0), script("less", times: -1, for: "a")], [("a", nil)])
  }

  @Test("Many scripts in order are all used, and those that are used up are dropped")
  func manyScripts() {
    var scripts = scripts((0..<5_000).map { script("\($0)") })
    for number in 0..<5_000 { #expect(scripts.take("a")?.answer == "\(number)") }
    #expect(scripts.take("a") == nil)
    #expect(scripts.queue.isEmpty)
  }
}
