import Foundation
import Millrace
import MillraceJournal
import MillraceTesting
import Testing

/// The snippets of docs/recovery.md, as they stand there.
@Suite("RecoverySnippets", .timeLimit(.minutes(1)))
struct RecoverySnippets {
  @Test("A timer that the state asks for begins again with the store, and fires once, at its time")
  func timer() async {
    await Simulation.run(seeds: 0..<50) { world in
      let (node, journal) = (world.node("a"), MemoryJournal())
      let fired = Recorder<Int64>()
      let begin = Int64(Date().timeIntervalSince1970)
      @Sendable func live(adding: Bool) async throws {
        let store = try await Store.open(
          initial: Reminders.State(),
          interactor: Reminders(remind: { _ in fired.record(Int64(Date().timeIntervalSince1970)) }),
          journal: journal, key: "reminders", configuration: node.configuration, feedbacks: [Reminders.timers])
        if adding {
          for due in [100, 200] { _ = await store.send(.add(Reminder(id: due, due: begin + Int64(due)))).outcome }
        }
        _ = try await store.wait { $0.pending.isEmpty }
        await store.shutdown(drainFor: .seconds(1))
      }
      node.run { try await live(adding: true) }
      try await world.clock.sleep(for: .seconds(150))
      world.expect(fired.recorded == [begin + 100], "the first one has fired")
      node.crash()
      await node.run { try await live(adding: false) }.value
      world.expect(fired.recorded == [begin + 100, begin + 200], "the second one fires at its time after the crash")
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
struct Reminder: Sendable, Hashable, Codable {
  let id: Int
  /// The wall time in seconds since 1970, because a clock of the process begins anew with it.
  let due: Int64
}

struct Reminders: Interactor {
  struct State: Sendable, Codable {
    var pending: Set<Reminder> = []
  }

  enum Action: Sendable, Codable {
    case add(Reminder)
    case fire(Reminder)
  }

  enum Mutation: Sendable, Codable {
    case added(Reminder)
    case removed(Reminder)
  }

  let remind: @Sendable (Reminder) async throws -> Void

  /// One timer for each reminder that is pending, also in a state that was restored.
  static let timers = Feedback<State, Action>.react(toEach: \.pending) { reminder, access in
    let wait = Double(reminder.due) - Date().timeIntervalSince1970
    try? await access.clock.sleep(for: .seconds(max(wait, 0)))
    if !Task.isCancelled { access.send(.fire(reminder)) }
  }

  func plan(for action: Action, state: State) -> Plan {
    switch action {
    case .add: .concurrent
    case .fire(let reminder): .exclusive(key: reminder.id).recovery(.handleAgain)
    }
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .add(let reminder): .mutate(.added(reminder))
    case .fire(let reminder): state.pending.contains(reminder) ? .handle : .ignore
    }
  }

  func handle(_ action: Action, state: State) -> Effect<Self> {
    Effect { run in
      guard case .fire(let reminder) = action else { return }
      try await remind(reminder)
      run.emit(.removed(reminder))
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .added(let reminder): state.pending.insert(reminder)
    case .removed(let reminder): state.pending.remove(reminder)
    }
  }
}
// snippet.end
