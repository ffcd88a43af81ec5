import Millrace
import MillraceTesting

/// Handles actions, and writes all that it does into its state.
struct SimulatedInteractor: Interactor {
  enum Act: Sendable, Hashable {
    case decided, decidedToo
    case part(Int, attempt: Int)
    case closed(Outcome.Kind)
  }

  struct Entry: Sendable, Hashable, CustomStringConvertible {
    let action: Int
    let act: Act
    /// The time of the world when it was made.
    let time: Duration
    /// The revision of the state on which it was decided.
    var revision: Int?

    var description: String { "\(action) \(act)" }
  }

  struct Failure: Error {}

  typealias Action = SimulatedAction
  typealias Mutation = Entry
  typealias State = [Entry]
  typealias Mutations = Effect<Self>

  let world: World
  let own: OwnStore
  let handlers: Handlers
  let plans: @Sendable (SimulatedAction) -> Plan

  func plan(for action: SimulatedAction, state: State) -> Plan { plans(action) }

  func decide(_ action: SimulatedAction, state: State) -> Decision<Entry> {
    var decided = [entry(action, .decided), entry(action, .decidedToo)]
    decided[0].revision = state.count
    return switch action.end {
    case .decide: .mutate(decided)
    case .reject: .reject(Failure())
    case .finish, .fail: .mutate(decided, thenHandle: true)
    }
  }

  func handle(_ action: SimulatedAction, state: State) -> Effect<Self> {
    world.expect(state.count == own.revision, "L2: a handler gets the newest state when it begins")
    return Effect { run in
      handlers.begin(action, run.attempt)
      defer { handlers.end(action, run.attempt) }
      try await withTaskCancellationHandler {
        try await work(on: action, run)
      } onCancel: {
        handlers.cancel(action, run.attempt)
      }
    }
  }

  private func work(on action: SimulatedAction, _ run: Run<Self>) async throws {
    let begin = world.clock.now
    for (number, part) in action.parts.enumerated() {
      do {
        try await world.clock.sleep(for: part)
      } catch {
        if let deaf = action.deafFor { await Task { try? await world.clock.sleep(for: deaf) }.value }
        await end(number, of: action, run)
        throw error
      }
      if let time = action.attemptTimeout {
        world.expect(
          begin.duration(to: world.clock.now) <= time || Task.isCancelled,
          "Time: an attempt is given up, and its task cancelled, when its time is over")
      }
      await end(number, of: action, run)
    }
    if action.end == .fail { throw Failure() }
  }

  /// Sends what is to be sent when a part is done, and emits that it is.
  private func end(_ number: Int, of action: SimulatedAction, _ run: Run<Self>) async {
    if number == 0, run.attempt == 1 { action.sends.forEach(own.send) }
    let isOver = Task.isCancelled || handlers.counts.newest[action.number] != run.attempt
    let entry = entry(action, .part(number, attempt: run.attempt))
    let isCommitted = run.emit(entry)
    world.expect(!isCommitted || !isOver, "R3: nothing is committed of what was cancelled or given up")
    if isCommitted {
      let state = try? await run.state
      world.expect(state?.contains(entry) == true, "L2: the state that a run reads holds what it emitted before")
    }
  }

  func closing(_ action: SimulatedAction, outcome: Outcome) -> Entry? {
    entry(action, .closed(outcome.kind))
  }

  private func entry(_ action: SimulatedAction, _ act: Act) -> Entry {
    Entry(action: action.number, act: act, time: world.clock.now.offset)
  }

  static func reduce(into state: inout State, mutation: Entry) {
    state.append(mutation)
  }
}

/// A store as its own handlers use it: they do not hold it.
final class OwnStore: Sendable {
  private let find = Box<@Sendable () -> Store<SimulatedInteractor>?> { nil }
  private let sender = Box<@Sendable (SimulatedAction) -> Void> { _ in }

  /// Identifies a store, and sends actions to it.
  func become(
    _ store: Store<SimulatedInteractor>,
    sendingBy send: @escaping @Sendable (Store<SimulatedInteractor>, SimulatedAction) -> Void
  ) {
    find.value = { [weak store] in store }
    sender.value = { [find] action in find.value().map { send($0, action) } }
  }

  /// The newest revision, as long as there is the store.
  var revision: Int? { find.value()?.snapshotAtOnce()?.revision }

  func send(_ action: SimulatedAction) { sender.value(action) }
}
