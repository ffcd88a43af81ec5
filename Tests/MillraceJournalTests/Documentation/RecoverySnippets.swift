import Millrace
import MillraceJournal
import MillraceTesting
import Testing

/// The snippets of docs/recovery.md, as they stand there.
@Suite("RecoverySnippets", .timeLimit(.minutes(1)))
struct RecoverySnippets {
  @Test("A timer of the state is there again with the store, and fires once, at its time")
  func timer() async {
    await Simulation.run(seeds: 0..<50) { world in
      let (node, journal, now) = (world.node("a"), MemoryJournal(), world.clock.wallTime)
      let (fired, begin) = (Recorder<Int64>(), world.clock.wallTime())
      @Sendable func live(adding: Bool) async throws {
        let store = try await Store.open(
          initial: Reminders.State(), interactor: Reminders(remind: { _ in fired.record(now() - begin) }),
          journal: journal, key: "reminders", configuration: node.configuration, feedbacks: [Reminders.timers])
        if adding {
          for due in [100_000, 200_000] as [Int64] { _ = await store.send(.add(Int(due), due: begin + due)).outcome }
        }
        _ = try await store.wait { $0.pending.isEmpty }
        await store.shutdown(drainFor: .seconds(1))
      }
      node.run { try await live(adding: true) }
      try await world.clock.sleep(for: .seconds(150))
      world.expect(fired.recorded == [100_000], "the first one has fired")
      node.crash()
      await node.run { try await live(adding: false) }.value
      world.expect(fired.recorded == [100_000, 200_000], "the second one fires at its time after the crash")
    }
  }

  @Test("A log is opened with progress, and an error says the fix")
  func progress() async throws {
    let journal = MemoryJournal()
    _ = await (try Store.open(initial: [], interactor: Orders(), journal: journal, key: "orders")).send(.note(1))
      .outcome
    let lines = Recorder<String>()
    // snippet.progress
    let store = try await Store.open(
      initial: [], interactor: Orders(), journal: journal, key: "orders",
      progress: { progress in lines.record("read \(progress.sequence) of \(progress.last) records") })
    // snippet.end
    #expect(lines.recorded == ["read 2 of 2 records"])
    #expect(await store.state == ["note 1"])
  }
}

// snippet.reminders
struct Reminders: Interactor {
  struct State: Sendable, Codable {
    var pending = Timers<Int>()
  }

  enum Action: Sendable, Codable {
    case add(Int, due: Int64)
    case fire(Int)
  }

  enum Mutation: Sendable, Codable {
    case added(Int, due: Int64)
    case removed(Int)
  }

  let remind: @Sendable (Int) async throws -> Void

  /// Sends an action for each reminder that is due, also in a state that was restored.
  static let timers = Feedback<State, Action>.timers(of: \.pending) { id in .fire(id) }

  func plan(for action: Action, state: State) -> Plan {
    switch action {
    case .add: .concurrent
    case .fire(let id): .exclusive(key: id).recovery(.handleAgain)
    }
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .add(let id, let due): .mutate(.added(id, due: due))
    case .fire(let id): state.pending.time(of: id) == nil ? .ignore : .handle
    }
  }

  func handle(_ action: Action, state: State) -> Effect<Self> {
    Effect { run in
      guard case .fire(let id) = action else { return }
      try await remind(id)
      run.emit(.removed(id))
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .added(let id, let due): state.pending.set(id, at: due)
    case .removed(let id): state.pending.remove(id)
    }
  }
}
// snippet.end
