import Millrace
import Testing

@testable import MillraceJournal

@Suite("The registry of keys")
struct KeyRegistryTests {
  private typealias Registry = KeyRegistry<Accounts>

  private var registry = Registry(StoresLimits(live: 2, opening: 1, waiting: 1))

  private func member(_ name: String) -> KeyedStore<Accounts> {
    KeyedStore(
      .account(name), in: 0,
      Store.unopened(
        initial: Accounts.State(), interactor: Accounts(), configuration: StoreConfiguration(), gate: nil), [],
      KeyFeedbacks([]))
  }

  /// Uses a key and opens it.
  private mutating func open(_ name: String) -> KeyedStore<Accounts> {
    let member = member(name)
    _ = registry.add(member, isWake: false)
    _ = registry.didOpen(member, at: 0)
    return member
  }

  @Test(
    "K3: A store that was used since it was found idle does not hibernate, and one that is used now does not either")
  mutating func usedMeanwhile() {
    let member = open("a")
    _ = registry.didUse(member, at: 0)
    #expect(registry.expire(at: .max).works.count == 1)
    let generation = member.generation
    _ = registry.use(UTF8Text("a"))
    _ = registry.didUse(member, at: 0)
    let (begins, _) = registry.close(member, generation: generation, isUnwatched: true, at: 0)
    #expect(!begins && registry.closing == 0 && registry.unusedCount == 1)
    #expect(registry.expire(at: .max).works.count == 1)
    _ = registry.use(UTF8Text("a"))
    let (beginsInUse, _) = registry.close(member, generation: member.generation, isUnwatched: true, at: 0)
    #expect(!beginsInUse && registry.closing == 0 && registry.unusedCount == 0)
    _ = registry.didUse(member, at: 0)
    _ = registry.expire(at: .max)
    let (beginsAtLast, _) = registry.close(member, generation: member.generation, isUnwatched: true, at: 0)
    #expect(beginsAtLast && registry.closing == 1)
    _ = registry.didClose(member)
    #expect(registry.members.isEmpty && registry.occupied == 0 && registry.examined == 0)
  }

  @Test("A store whose metrics are among those that have ended is counted once, also while it closes")
  mutating func countedOnce() async {
    let (waiting, member) = (member("b"), open("a"))
    _ = registry.add(waiting, isWake: false)
    #expect(Set(registry.counted.map(\.key.name)) == ["a", "b"])
    _ = member.store.send(.deposit(1))
    for _ in 0..<2 { registry.count(member.store.metricsAtOnce, of: member) }
    #expect(registry.ended.metrics.sent == 1)
    #expect(
      registry.ended.metrics.commits == 0,
      "which of them are the store's own is not known before the end of its opening")
    #expect(registry.counted.map(\.key.name) == ["b"])
  }

  @Test("K3: A key that has to be open waits beyond the bound of the line, and other keys do not")
  mutating func line() {
    let (first, second, third) = (member("a"), member("b"), member("c"))
    _ = registry.add(first, isWake: false)
    _ = registry.add(second, isWake: false)
    guard case .rejected(.full) = registry.add(third, isWake: false).0 else { return #expect(Bool(false)) }
    guard case .member = registry.add(third, isWake: true).0 else { return #expect(Bool(false)) }
    #expect(registry.opening == 1 && registry.lineCount == 2)
  }
}
