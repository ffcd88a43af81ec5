import Millrace
import MillraceTesting

/// Copies of values that another party owns.
extension KnownBug {
  static let caches = [
    KnownBug(
      name: "Cache stampede", need: .idleActor,
      harm: "Two callers miss the same key, and both ask the source"
    ) { world, isBroken in
      let source = Source()
      let cache = Cache(source: source, isBroken: isBroken)
      await withTaskGroup { group in
        for _ in 0..<3 { group.addTask { _ = await cache.value(of: 1) } }
      }
      world.expect(await source.fetches == 1, "the source is asked once for each key")
    },

    KnownBug(
      name: "Stale fill", need: .idleActor,
      harm: "A slow reader puts an old price into the cache after its invalidation"
    ) { world, isBroken in
      let (origin, cache) = (Origin(), PriceCache(isBroken: isBroken))
      await withTaskGroup { group in
        for _ in 0..<2 { group.addTask { _ = await cache.price(from: origin) } }
        group.addTask {
          await origin.set(2)
          await cache.invalidate()
        }
      }
      world.expect(await cache.price(from: origin) == 2, "the cache has the newest price")
    },

    KnownBug(
      name: "Token refreshed twice", need: .time,
      harm: "Two actions use the same refresh token, and the server revokes both"
    ) { world, isBroken in
      let refreshes = FakeCall<Int, Int>("refresh")
      refreshes.always { $0 + 1 }
      refreshes.inject(world.faults(latency: .uniform(.zero ... .seconds(1))))
      let store = Store(
        initial: 0, interactor: Session(refreshes: refreshes, isBroken: isBroken), configuration: world.configuration)
      for pause in world.actions(4, from: [Duration.zero, .milliseconds(500), .seconds(2)]) {
        try await world.clock.sleep(for: pause)
        store.send(.refresh)
      }
      await store.shutdown(drainFor: .seconds(10))
      let tokens = refreshes.requests
      world.expect(tokens == Array(tokens.indices), "each refresh token is used once")
    },

    KnownBug(
      name: "ABA in a free list", need: .idleActor,
      harm: "A slot returns to the top of the list, and a comparison takes it for unchanged"
    ) { world, isBroken in
      let list = FreeList(isBroken: isBroken)
      async let first = [list.takeSlot(), list.takeSlot()]
      async let second = list.takeTwoAndReturnOne()
      let slots = await first + [second]
      world.expect(Set(slots).count == slots.count, "no slot has two owners")
    },
  ]
}

/// Fetches each value once, or again for each caller that comes before the value.
private actor Cache {
  private let source: Source
  private let isBroken: Bool
  private var values: [Int: Int] = [:]
  private var fetches: [Int: Task<Int, Never>] = [:]

  init(source: Source, isBroken: Bool) {
    (self.source, self.isBroken) = (source, isBroken)
  }

  func value(of key: Int) async -> Int {
    if let value = values[key] { return value }
    if isBroken {
      let value = await source.fetch(key)
      values[key] = value
      return value
    }
    let fetch = fetches[key] ?? Task { await source.fetch(key) }
    fetches[key] = fetch
    let value = await fetch.value
    values[key] = value
    fetches[key] = nil
    return value
  }
}

/// Answers at once, and counts the questions.
private actor Source {
  private(set) var fetches = 0

  func fetch(_ key: Int) -> Int {
    fetches += 1
    return key * 2
  }
}

/// Keeps a price that it has read, unless the price was invalidated meanwhile.
private actor PriceCache {
  private let decoder = PriceDecoder()
  private let isBroken: Bool
  private var price: Int?
  private var generation = 0

  init(isBroken: Bool) {
    self.isBroken = isBroken
  }

  func price(from origin: Origin) async -> Int {
    if let price { return price }
    let generation = generation
    let bytes = await origin.price
    let read = await decoder.decode(bytes)
    if isBroken || generation == self.generation { price = read }
    return read
  }

  func invalidate() {
    price = nil
    generation += 1
  }
}

/// Owns the price.
private actor Origin {
  private(set) var price = 1

  func set(_ price: Int) {
    self.price = price
  }
}

/// Decodes prices; it is idle whenever a task calls it.
private actor PriceDecoder {
  func decode(_ bytes: Int) -> Int { bytes }
}

/// Replaces the refresh token; its state is the token.
private struct Session: Interactor {
  enum Action: Sendable { case refresh }

  let refreshes: FakeCall<Int, Int>
  let isBroken: Bool

  func plan(for action: Action, state: Int) -> Plan {
    isBroken ? .concurrent : .shared(key: "refresh")
  }

  func handle(_ action: Action, state: Int) async -> Effect<Self> {
    Effect { run in run.emit(try await refreshes(state)) }
  }

  static func reduce(into state: inout Int, mutation: Int) {
    state = mutation
  }
}

/// A list of free slots, whose top a caller reads and then replaces by a comparison.
private actor FreeList {
  private struct Top: Equatable {
    var slot: Int
    var version = 0
  }

  private let isBroken: Bool
  private let log = SlotLog()
  private var top = Top(slot: 1)
  private var next = [1: 2, 2: 3, 3: 4, 4: 0]

  init(isBroken: Bool) {
    self.isBroken = isBroken
  }

  /// Takes the slot at the top; tries again if another caller has changed the list meanwhile.
  func takeSlot() async -> Int {
    while true {
      let (read, below) = (top, next[top.slot, default: 0])
      await log.willTake(read.slot)
      if read.slot == top.slot, isBroken || read.version == top.version {
        setTop(below)
        return read.slot
      }
    }
  }

  func returnSlot(_ slot: Int) {
    next[slot] = top.slot
    setTop(slot)
  }

  /// Takes two slots, and returns the one that it took first; the result is the other one.
  func takeTwoAndReturnOne() async -> Int {
    let slots = await [takeSlot(), takeSlot()]
    returnSlot(slots[0])
    return slots[1]
  }

  private func setTop(_ slot: Int) {
    top = Top(slot: slot, version: top.version + 1)
  }
}

/// Notes the slots that callers want to take.
private actor SlotLog {
  private var slots: [Int] = []

  func willTake(_ slot: Int) {
    slots.append(slot)
  }
}
