import Testing

@testable import PulseService

@Suite("Lookups")
struct LookupsTests {
  private var lookups = Lookups<String>(limit: 2)

  @Test("A name that many wait for is looked up once, and all of them get the answer")
  mutating func joined() {
    #expect(lookups.join("a", id: 1, "first"))
    #expect(!lookups.join("a", id: 2, "second"))
    let ended = lookups.finish("a")
    #expect(Set(ended.waiters) == ["first", "second"] && ended.next == nil)
    #expect(lookups.count == 0)
    #expect(lookups.join("a", id: 3, "third"))
  }

  @Test("Beyond the limit names wait for a thread, in their order")
  mutating func queued() {
    #expect(lookups.join("a", id: 1, "a") && lookups.join("b", id: 2, "b"))
    #expect(!lookups.join("c", id: 3, "c") && !lookups.join("d", id: 4, "d"))
    #expect(lookups.finish("b").next == "c")
    #expect(!lookups.join("e", id: 5, "e"))
    #expect(lookups.finish("a").next == "d")
    #expect(lookups.finish("c").next == "e")
    #expect(lookups.finish("d").next == nil)
    #expect(lookups.finish("e").waiters == ["e"])
    #expect(lookups.count == 0)
  }

  @Test("A name that a thread looks up stays when nobody waits any more, so that it never takes a second thread")
  mutating func abandoned() {
    #expect(lookups.join("silent", id: 1, "first"))
    #expect(lookups.leave("silent", id: 1) == "first")
    #expect(lookups.leave("silent", id: 1) == nil)
    #expect(!lookups.join("silent", id: 2, "second"))
    #expect(lookups.finish("silent").waiters == ["second"])
    #expect(lookups.leave("silent", id: 2) == nil)
  }

  @Test("A name that waits for a thread is forgotten when nobody waits for it any more")
  mutating func left() {
    #expect(lookups.join("a", id: 1, "a") && lookups.join("b", id: 2, "b"))
    #expect(!lookups.join("c", id: 3, "c") && !lookups.join("c", id: 4, "also c"))
    #expect(lookups.leave("c", id: 3) == "c")
    #expect(lookups.count == 3)
    #expect(lookups.leave("c", id: 4) == "also c")
    #expect(lookups.count == 2)
    #expect(lookups.finish("a").next == nil)
  }
}
