import Millrace
import MillraceTesting

/// Items that have to arrive completely, once, and in their order.
extension KnownBug {
  static let sequences = [
    KnownBug(
      name: "Item lost by a flush", need: .idleActor,
      harm: "A batcher empties its buffer after a write, and drops the items that came during it"
    ) { world, isBroken in
      let batcher = Batcher(isBroken: isBroken)
      await withTaskGroup { group in
        for item in 0..<3 { group.addTask { await batcher.add(item) } }
        group.addTask { await batcher.flush() }
      }
      await batcher.flush()
      world.expect(await batcher.sink.items.sorted() == [0, 1, 2], "each item is written once")
    },

    KnownBug(
      name: "Last edit not saved", need: .time,
      harm: "An autosave ignores the edits that come while it writes"
    ) { world, isBroken in
      let saves = FakeCall<Int, Void>("save")
      saves.always { _ in }
      saves.inject(world.faults(latency: .uniform(.zero ... .seconds(1))))
      let autosave = Autosave(saves: saves, clock: world.clock, isBroken: isBroken)
      let pauses = world.actions(4, from: [Duration.milliseconds(200), .milliseconds(700), .milliseconds(1_300)])
      try await withThrowingTaskGroup { group in
        for (text, pause) in pauses.enumerated() {
          try await world.clock.sleep(for: pause)
          group.addTask { try await autosave.edit(text) }
        }
        try await group.waitForAll()
      }
      world.expect(saves.requests.last == pauses.indices.last, "the last edit is saved")
    },

    KnownBug(
      name: "Item on two pages", need: .idleActor,
      harm: "A reader counts pages by an offset, and an insertion moves the items"
    ) { world, isBroken in
      let feed = Feed()
      async let insertion: Void = feed.insert(5)
      var items = await feed.page(offset: 0)
      items += isBroken ? await feed.page(offset: 2) : await feed.page(below: items.last ?? 0)
      await insertion
      world.expect(Set(items).count == items.count, "no item is on two pages")
    },

    KnownBug(
      name: "Outbox out of order", need: .faultAndTiming,
      harm: "A message is sent again after a fault, and a later message is sent before that"
    ) { world, isBroken in
      let posts = FakeCall<Int, Void>("post")
      let posted = Recorder<Int>()
      posts.always { posted.record($0) }
      posts.inject(world.faults([.reset: 0.05]))
      let outbox = Outbox(posts: posts, isBroken: isBroken)
      let store = Store(initial: 0, interactor: outbox, configuration: world.configuration)
      for (message, pause) in world.actions(5, from: [Duration.seconds(10), .milliseconds(50)]).enumerated() {
        try await world.clock.sleep(for: pause)
        store.send(message)
      }
      await store.shutdown(drainFor: .seconds(60))
      world.expect(posted.recorded == posted.recorded.sorted(), "messages are posted in their order")
    },

    KnownBug(
      name: "Answer overtakes", need: .time,
      harm: "The answer of an earlier query replaces the answer of the last query"
    ) { world, isBroken in
      let queries = FakeCall<Int, Int>("query")
      queries.always { $0 }
      queries.inject(world.faults(latency: .uniform(.zero ... .milliseconds(50))))
      let search = Search(queries: queries, isBroken: isBroken)
      let store = Store(initial: -1, interactor: search, configuration: world.configuration)
      let pauses = world.actions(4, from: [Duration.milliseconds(10), .seconds(1)])
      for (query, pause) in pauses.enumerated() {
        try await world.clock.sleep(for: pause)
        store.send(query)
      }
      await store.shutdown(drainFor: .seconds(1))
      world.expect(await store.state == pauses.count - 1, "the answer is that of the last query")
    },
  ]
}

/// Collects items, and writes all that it has at each flush.
private actor Batcher {
  let sink = Sink()
  private let isBroken: Bool
  private var items: [Int] = []

  init(isBroken: Bool) {
    self.isBroken = isBroken
  }

  func add(_ item: Int) {
    items.append(item)
  }

  func flush() async {
    let batch = items
    if !isBroken { items = [] }
    await sink.write(batch)
    if isBroken { items = [] }
  }
}

/// Keeps all items that were written.
private actor Sink {
  private(set) var items: [Int] = []

  func write(_ batch: [Int]) {
    items += batch
  }
}

/// Saves the latest text a second after an edit.
private actor Autosave {
  private let saves: FakeCall<Int, Void>
  private let clock: TestClock
  private let isBroken: Bool
  private var (latest, saved) = (-1, -1)
  private var isSaving = false

  init(saves: FakeCall<Int, Void>, clock: TestClock, isBroken: Bool) {
    (self.saves, self.clock, self.isBroken) = (saves, clock, isBroken)
  }

  func edit(_ text: Int) async throws {
    latest = text
    guard !isSaving else { return }
    isSaving = true
    defer { isSaving = false }
    repeat {
      try await clock.sleep(for: .seconds(1))
      let text = latest
      try await saves(text)
      saved = text
    } while !isBroken && saved != latest
  }
}

/// Items from the newest to the oldest, in pages of two.
private actor Feed {
  private var items = [4, 3, 2, 1]

  func insert(_ item: Int) {
    items.insert(item, at: 0)
  }

  func page(offset: Int) -> [Int] { Array(items.dropFirst(offset).prefix(2)) }

  func page(below item: Int) -> [Int] { Array(items.filter { $0 < item }.prefix(2)) }
}

/// Posts messages, with a retry.
private struct Outbox: Interactor {
  let posts: FakeCall<Int, Void>
  let isBroken: Bool

  func plan(for message: Int, state: Int) -> Plan {
    (isBroken ? Plan.concurrent : .serial(key: "outbox")).retry(5)
  }

  func handle(_ message: Int, state: Int) async -> Effect<Self> {
    Effect { run in
      try await posts(message)
      run.emit(message)
    }
  }

  static func reduce(into state: inout Int, mutation: Int) {
    state = mutation
  }
}

/// Shows the answer of a query.
private struct Search: Interactor {
  let queries: FakeCall<Int, Int>
  let isBroken: Bool

  func plan(for query: Int, state: Int) -> Plan {
    isBroken ? .concurrent : .latest(key: "search")
  }

  func handle(_ query: Int, state: Int) async -> Effect<Self> {
    Effect { run in run.emit(try await queries(query)) }
  }

  static func reduce(into state: inout Int, mutation: Int) {
    state = mutation
  }
}
