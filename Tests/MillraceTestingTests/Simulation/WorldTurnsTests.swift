import Testing

@testable import MillraceTesting

@Suite("WorldTurns")
struct WorldTurnsTests {
  @Test("Turns begin in their order, as many as there are threads")
  func order() {
    var turns = WorldTurns<String>(threads: 2)
    for name in ["a", "b", "c"] { turns.add(name, isAlone: false) }
    #expect(turns.next(on: 1) == "a" && turns.next(on: 0) == "b" && turns.hasWaiting)
    #expect(turns.running(on: 1) == "a" && turns.end(on: 1) == "a" && turns.end(on: 1) == nil)
    #expect(turns.next(on: 1) == "c" && !turns.hasWaiting && turns.next(on: 1) == nil)
  }

  @Test("A turn that runs alone waits for those before it, and those after it wait for it")
  func alone() {
    var turns = WorldTurns<String>(threads: 3)
    for (name, isAlone) in [("a", false), ("b", true), ("c", false), ("d", false)] { turns.add(name, isAlone: isAlone) }
    #expect(turns.next(on: 0) == "a" && turns.next(on: 1) == nil)
    #expect(turns.end(on: 0) == "a" && turns.next(on: 1) == "b" && turns.next(on: 0) == nil)
    #expect(turns.end(on: 1) == "b" && turns.next(on: 0) == "c" && turns.next(on: 1) == "d")
  }

  @Test("Turns that wait can be taken out together")
  func waiting() {
    var turns = WorldTurns<String>(threads: 1)
    for name in ["a", "b", "c"] { turns.add(name, isAlone: true) }
    #expect(turns.next(on: 0) == "a" && turns.takeWaiting() == ["b", "c"] && !turns.hasWaiting)
  }
}
