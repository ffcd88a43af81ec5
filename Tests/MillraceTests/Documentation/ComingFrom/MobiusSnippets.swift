import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/coming-from-mobius.md, as they stand there.
enum MobiusSnippets {
  // snippet.Counter
  struct Counter: Interactor {
    enum Action: Sendable {
      case up
      case down
      case save
    }

    enum Mutation: Sendable, Equatable {
      case added(Int)
      case saving
      case saved
    }

    struct State: Sendable, Equatable {
      var count = 0
      var isSaving = false
    }

    let playSound: @Sendable () async throws -> Void
    let save: @Sendable (Int) async throws -> Void

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .up: .mutate(.added(1))
      case .down: state.count > 0 ? .mutate(.added(-1)) : .handle
      case .save: state.isSaving ? .ignore : .mutate(.saving, thenHandle: true)
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      let count = state.count
      return Effect { run in
        switch action {
        case .up: break
        case .down: try await playSound()
        case .save:
          try await save(count)
          run.emit(.saved)
        }
      }
    }

    func closing(_ action: Action, outcome: Outcome) -> Mutation? {
      if case .save = action { .saved } else { nil }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .added(let difference): state.count += difference
      case .saving: state.isSaving = true
      case .saved: state.isSaving = false
      }
    }
  }
  // snippet.end

  static func start(_ counter: Counter, clock: any Clock<Duration>, remote: AsyncStream<Int>) -> Store<Counter> {
    // snippet.sound
    let store = Store(
      initial: Counter.State(count: 3), interactor: counter, configuration: StoreConfiguration(clock: clock),
      feedbacks: [
        .start(.up),
        .every(.seconds(60)) { .save },
        .actions(from: remote) { $0 > 0 ? .up : .down },
      ])
    // snippet.end
    return store
  }

  /// The update function is called without a store.
  static func update(_ counter: Counter) -> (Decision<Counter.Mutation>, Counter.State) {
    // snippet.sound-test
    var state = Counter.State(count: 1)
    let next = counter.decide(.down, state: state)
    for mutation in next.mutations { Counter.reduce(into: &state, mutation: mutation) }
    // snippet.end
    return (next, state)
  }
}

@Suite("The counter, coming from Mobius", .timeLimit(.minutes(1)))
struct MobiusSnippetsTests {
  private typealias Counter = MobiusSnippets.Counter
  private let clock = TestClock()
  private let world = Notes<String>()

  private var counter: Counter {
    Counter(
      playSound: { [world] in world.note("sound") },
      save: { [world] count in world.note("save \(count)") })
  }

  @Test("Up and down change the count; down at 0 plays a sound and changes nothing; save saves it")
  func update() async {
    let store = Store(initial: Counter.State(), interactor: counter)
    #expect(await store.send(.down).outcome.kind == .finished)
    #expect(await store.snapshot.revision == 0)
    #expect(await store.send(.up).outcome.kind == .finished)
    #expect(await store.send(.up).outcome.kind == .finished)
    #expect(await store.send(.down).outcome.kind == .finished)
    #expect(await store.send(.save).outcome.kind == .finished)
    #expect(world.all == ["sound", "save 1"])
    #expect(await store.snapshot == Snapshot(revision: 5, state: Counter.State(count: 1)))
  }

  @Test("The store begins with an action, and gets others from a timer and from a sequence")
  func sources() async throws {
    let (remote, continuation) = AsyncStream.makeStream(of: Int.self)
    let saved = Recorder<Int>()
    let store = MobiusSnippets.start(
      Counter(playSound: {}, save: { saved.record($0) }), clock: clock, remote: remote)
    #expect(await store.state.count == 4)
    continuation.yield(-1)
    try await store.wait(until: { $0.count == 3 })
    for _ in 0..<2 {
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(60))
      #expect(try await saved.next() == 3)
      try await store.wait(until: { !$0.isSaving })
    }
    continuation.finish()
  }

  @Test("Decisions are values: they are tested without a store")
  func values() {
    let (next, state) = MobiusSnippets.update(counter)
    #expect(next.mutations == [.added(-1)])
    #expect(!next.handles)
    #expect(state == Counter.State(count: 0))
    let atZero = counter.decide(.down, state: state)
    #expect(atZero.mutations.isEmpty && atZero.handles)
    let save = counter.decide(.save, state: state)
    #expect(save.mutations == [.saving] && save.handles)
    let again = counter.decide(.save, state: Counter.State(isSaving: true))
    #expect(again.mutations.isEmpty && !again.handles)
  }

  @Test("An effect that throws ends its own action, and the receipt says so")
  func failure() async {
    struct Deaf: Error {}
    let store = Store(
      initial: Counter.State(), interactor: Counter(playSound: { throw Deaf() }, save: { _ in throw Deaf() }),
      configuration: Self.silent)
    #expect(await store.send(.down).outcome.kind == .failed)
    #expect(await store.send(.save).outcome.kind == .failed)
    #expect(await store.state == Counter.State())
    #expect(await store.send(.up).outcome.kind == .finished)
  }

  private static var silent: StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.report = { _ in }
    return configuration
  }
}
