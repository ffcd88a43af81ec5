import Testing

@testable import MillraceHTTP

@Suite("Lookups")
struct LookupsTests {
  private var lookups = Lookups<String>(limit: 2)

  /// Adds waiters that are named like what they wait for, and gives the names that are to be looked up now.
  private mutating func join(_ waiters: KeyValuePairs<Int, String>) -> [String] {
    waiters.filter { lookups.join($0.value, id: $0.key, "\($0.value) \($0.key)") }.map(\.value)
  }

  /// Removes waiters, and gives those that were there.
  private mutating func leave(_ waiters: KeyValuePairs<Int, String>) -> [String] {
    waiters.compactMap { lookups.leave($0.value, id: $0.key) }
  }

  /// Ends look-ups, and gives what each is followed by.
  private mutating func finish(_ names: String...) -> [String?] {
    names.map { lookups.finish($0).next }
  }

  @Test("A name that many wait for is looked up once, and all of them get the answer")
  mutating func joined() {
    let started = join([1: "a", 2: "a"])
    #expect(started == ["a"])
    let ended = lookups.finish("a")
    #expect(Set(ended.waiters) == ["a 1", "a 2"] && ended.next == nil)
    #expect(lookups.count == 0)
    let again = join([3: "a"])
    #expect(again == ["a"])
  }

  @Test("Beyond the limit names wait for a thread, in their order")
  mutating func queued() {
    let started = join([1: "a", 2: "b", 3: "c", 4: "d"])
    #expect(started == ["a", "b"])
    let first = finish("b")
    let late = join([5: "e"])
    let rest = finish("a", "c", "d", "e")
    #expect(first == ["c"] && late.isEmpty && rest == ["d", "e", nil, nil])
    #expect(lookups.count == 0)
    let free = join([6: "a", 7: "b", 8: "c"])
    #expect(free == ["a", "b"])
  }

  @Test("A name that a thread looks up stays when no task waits any more, so that it never takes a second thread")
  mutating func abandoned() {
    let started = join([1: "silent"])
    let left = leave([1: "silent", 1: "silent"])
    let again = join([2: "silent"])
    #expect(started == ["silent"] && left == ["silent 1"] && again.isEmpty)
    let ended = lookups.finish("silent")
    let late = leave([2: "silent"])
    #expect(ended.waiters == ["silent 2"] && late.isEmpty)
  }

  @Test("A name that waits for a thread is forgotten when no task waits for it any more")
  mutating func left() {
    _ = join([1: "a", 2: "b", 3: "c", 4: "c"])
    let first = leave([3: "c"])
    #expect(first == ["c 3"] && lookups.count == 3)
    let second = leave([4: "c"])
    #expect(second == ["c 4"] && lookups.count == 2)
    let next = finish("a")
    #expect(next == [nil])
  }
}
