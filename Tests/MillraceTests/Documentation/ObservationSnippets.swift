import Millrace
import MillraceTesting
import Testing

/// The heater that docs/observation.md observes.
struct Heater: Interactor {
  // snippet.State
  struct State: Sendable, Equatable {
    var room = "Hall"
    var degrees = 15
    var target: Int?
    var bell = Pulse("")

    var isHeating: Bool { target.map { degrees < $0 } ?? false }
  }
  // snippet.end

  enum Action: Sendable, Equatable {
    case measure(Int)
    case measureAll([Int])
    case aim(Int?)
    case ring(String)
  }

  enum Mutation: Sendable, Equatable {
    case measured(Int)
    case aimed(Int?)
    case rung(String)
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .measure(let degrees): .mutate(.measured(degrees))
    case .measureAll(let all): .mutate(all.map { .measured($0) })
    case .aim(let target): .mutate(.aimed(target))
    case .ring(let text): .mutate(.rung(text))
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .measured(let degrees): state.degrees = degrees
    case .aimed(let target): state.target = target
    case .rung(let text): state.bell.value = text
    }
  }
}

/// The snippets of docs/observation.md, as they stand there.
enum ObservationSnippets {
  struct Label: Sendable, Equatable {
    var text: String

    init(_ state: Heater.State) {
      text = "\(state.room): \(state.degrees)°"
    }
  }

  static func states(_ store: Store<Heater>, _ show: (Heater.State) -> Void) async {
    // snippet.states
    for await state in store.states { show(state) }
    // snippet.end
  }

  static func every(_ store: Store<Heater>, _ log: (String) -> Void) async {
    // snippet.states-every
    for await snapshot in store.snapshots(.every(buffer: 256)) {
      if snapshot.missed > 0 { log("\(snapshot.missed) states were skipped") }
      log("\(snapshot.revision): \(snapshot.state.degrees)")
    }
    // snippet.end
  }

  static func durable(_ store: Store<Heater>, _ show: (Heater.State) -> Void) async {
    // snippet.states-durable
    for await state in store.states(.durable) { show(state) }
    for await state in store.states(.every(buffer: 10).durable) { show(state) }
    // snippet.end
  }

  static func lossless(_ store: Store<Heater>, write: (Heater.State) async throws -> Void) async throws {
    // snippet.states-lossless
    for try await state in store.states(.lossless(pausesAt: 1_024, endsAt: 65_536)) {
      try await write(state)
    }
    // snippet.end
  }

  typealias Parts = (
    degrees: StoreSequence<Int, Never>, isHeating: StoreSequence<Bool, Never>, target: StoreSequence<Int?, Never>,
    labels: StoreSequence<Label, Never>, bell: StoreSequence<Pulse<String>, Never>
  )

  static func parts(_ store: Store<Heater>) -> Parts {
    // snippet.values
    let degrees = store.values(of: \.degrees)
    let isHeating = store.values(of: \.isHeating)
    let target = store.values(of: \.target)
    let labels = store.values { Label($0) }
    let bell = store.values(of: \.bell)
    // snippet.end
    return (degrees, isHeating, target, labels, bell)
  }

  static func revisions(_ store: Store<Heater>, _ log: (String) -> Void) async {
    // snippet.values-scope
    for await degrees in store.reader.scope(\.degrees).snapshots(.every()) {
      log("\(degrees.revision): \(degrees.state), \(degrees.missed) missed")
    }
    // snippet.end
  }

  static func typed(_ store: Store<Heater>, _ log: (String) -> Void) async throws {
    // snippet.values-every
    for await degrees in store.values(of: \.degrees, policy: .every()) { log("\(degrees)") }
    for try await degrees in store.values(of: \.degrees, policy: .lossless()) { log("\(degrees)") }
    // snippet.end
  }

  static func compared(
    _ store: Store<Heater>
  ) -> (StoreSequence<Int, Never>, StoreSequence<Int, Never>, StoreSequence<Int, Never>) {
    // snippet.values-by
    let all = store.values(of: \.degrees, policy: .every())
    let tens = store.values(of: \.degrees, by: { $0 / 10 == $1 / 10 })
    let each = store.values(of: \.degrees, by: { _, _ in false })
    // snippet.end
    return (all, tens, each)
  }

  static func transitions(_ store: Store<Heater>, _ log: (String) -> Void) async {
    // snippet.transitions
    for await transition in store.transitions() {
      log("\(transition.revision): \(transition.mutation), because of \(transition.cause.action)")
    }
    // snippet.end
  }

  static func differences(_ store: Store<Heater>, _ log: (Int) -> Void) async {
    // snippet.transitions-every
    for await transition in store.transitions(.every(), includesBefore: true) {
      if let before = transition.before { log(transition.state.degrees - before.degrees) }
    }
    // snippet.end
  }

  static func wait(_ store: Store<Heater>) async throws -> Heater.State {
    // snippet.moment
    let warm = try await store.wait(until: { $0.degrees >= 20 }, timeout: .seconds(5))
    // snippet.end
    return warm
  }
}

@Suite("Observation", .timeLimit(.minutes(1)))
struct ObservationSnippetsTests {
  private let clock = TestClock()
  private let store: Store<Heater>

  init() {
    store = Store(
      initial: Heater.State(), interactor: Heater(), configuration: StoreConfiguration(clock: clock))
  }

  @Test("O2, O3: states begin with the current one, and skip to the newest of one step")
  func states() async throws {
    let seen = Recorder<Int>()
    store.send(.measure(16))
    let task = Task { [store] in await ObservationSnippets.states(store) { seen.record($0.degrees) } }
    #expect(try await seen.next() == 16)
    store.send(.measureAll([17, 18, 19]))
    #expect(try await seen.next() == 19)
    await store.shutdown()
    await task.value
    #expect(seen.recorded == [16, 19])
  }

  @Test("O3: every state is delivered in order, also of one step, and skipped ones are counted")
  func every() async throws {
    let log = Recorder<String>()
    let task = Task { [store] in await ObservationSnippets.every(store, log.record) }
    #expect(try await log.next() == "0: 15")
    store.send(.measureAll([17, 18]))
    #expect(try await log.next(2) == ["1: 17", "2: 18"])
    store.send(.measureAll(Array(1...300)))
    #expect(try await log.next(2) == ["299 states were skipped", "302: 300"])
    await store.shutdown()
    await task.value
  }

  @Test("O3: where nothing may be skipped, a store that is far ahead takes no more")
  func lossless() async throws {
    let (written, gate) = (Recorder<Int>(), Gate())
    let task = Task { [store] in
      try await ObservationSnippets.lossless(store) { state in
        written.record(state.degrees)
        try await gate.enter()
      }
    }
    #expect(try await written.next() == 15)
    store.send(.measureAll(Array(1...1_024)))
    #expect(await store.send(.measure(0)).outcome.rejectionKind == .full)
    gate.open()
    #expect(try await written.next(1_024) == Array(1...1_024))
    await store.shutdown()
    try await task.value
  }

  @Test("O4: parts are delivered when they differ, nil is a value, and a pulse delivers each setting")
  func parts() async throws {
    let parts = ObservationSnippets.parts(store)
    let (degrees, isHeating) = (Recorder<Int>(), Recorder<Bool>())
    let (target, labels, bell) = (Recorder<Int?>(), Recorder<String>(), Recorder<String>())
    degrees.record(from: parts.degrees)
    isHeating.record(from: parts.isHeating)
    target.record(from: parts.target)
    labels.record(from: parts.labels.map(\.text))
    bell.record(from: parts.bell.map(\.value))
    #expect(try await degrees.next() == 15)
    #expect(try await isHeating.next() == false)
    #expect(try await target.next() == nil)
    #expect(try await labels.next() == "Hall: 15°")
    #expect(try await bell.next() == "")

    store.send(.aim(20))
    #expect(try await isHeating.next() == true)
    #expect(try await target.next() == 20)
    store.send(.measure(21))
    #expect(try await isHeating.next() == false)
    #expect(try await degrees.next() == 21)
    #expect(try await labels.next() == "Hall: 21°")
    store.send(.aim(nil))
    #expect(try await target.next() == nil)
    for _ in 0..<2 {
      store.send(.ring("ding"))
      #expect(try await bell.next() == "ding")
    }
    await store.shutdown()
    #expect(degrees.recorded == [15, 21])
    #expect(isHeating.recorded == [false, true, false])
    #expect(target.recorded == [nil, 20, nil])
    #expect(bell.recorded == ["", "ding", "ding"])
  }

  @Test("O4: values are compared as one says, or not at all")
  func compared() async throws {
    let (all, tens, each) = ObservationSnippets.compared(store)
    var every = all.makeAsyncIterator()
    let (ofTens, ofEach) = (Recorder<Int>(), Recorder<Int>())
    ofTens.record(from: tens)
    ofEach.record(from: each)
    #expect(try await ofTens.next() == 15)
    #expect(try await ofEach.next() == 15)
    store.send(.measureAll([16, 16, 21, 21]))
    #expect(try await ofEach.next() == 21)
    #expect(try await ofTens.next() == 21)
    store.send(.aim(30))
    #expect(try await ofEach.next() == 21)
    store.send(.measure(29))
    #expect(try await ofEach.next() == 29)
    store.send(.measure(30))
    #expect(try await ofTens.next() == 30)
    for degrees in [15, 16, 21, 29, 30] { #expect(await every.next() == degrees) }
  }

  @Test("Under a policy that cannot end the observer the loop needs no try")
  func typed() async throws {
    let log = Notes<String>()
    store.send(.measure(16))
    await store.shutdown()
    try await ObservationSnippets.typed(store, log.note)
    #expect(log.all == ["16", "16"])
    await ObservationSnippets.revisions(store, log.note)
    #expect(log.all.last == "1: 16, 0 missed")
  }

  @Test("O5: a transition has its mutation, its revision, and the action that brought it about")
  func transitions() async throws {
    let (log, differences) = (Recorder<String>(), Recorder<Int>())
    store.send(.measure(14))
    let tasks = [
      Task.immediate { [store] in await ObservationSnippets.transitions(store, log.record) },
      Task.immediate { [store] in await ObservationSnippets.differences(store, differences.record) },
    ]
    store.send(.measureAll([16, 19]))
    store.send(.aim(20))
    #expect(
      try await log.next(3) == [
        "2: measured(16), because of measureAll([16, 19])",
        "3: measured(19), because of measureAll([16, 19])",
        "4: aimed(Optional(20)), because of aim(Optional(20))",
      ])
    #expect(try await differences.next(3) == [2, 3, 0])
    await store.shutdown()
    for task in tasks { await task.value }
  }

  @Test("A wait judges each state, also one inside a step; its time is the store's")
  func wait() async throws {
    let waiting = Task.immediate { [store] in try await ObservationSnippets.wait(store) }
    store.send(.measureAll([20, 15]))
    #expect(try await waiting.value.degrees == 20)

    let late = Task.immediate { [store] in try await ObservationSnippets.wait(store) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: StoreError.self) { try await late.value }
    #expect(error?.code == .timedOut)
  }
}
