import Millrace
import MillraceTesting

/// Does errands, and writes all that it does into its state.
struct Errands: Interactor {
  enum Act: Sendable, Hashable {
    case decided, decidedToo
    case part(Int, attempt: Int)
    case closed(Outcome.Kind)
  }

  struct Entry: Sendable, Hashable, CustomStringConvertible {
    let errand: Int
    let act: Act
    /// The time of the world when it was made.
    let time: Duration
    /// The revision of the state on which it was decided.
    var revision: Int?

    var description: String { "\(errand) \(act)" }
  }

  struct Failure: Error {}

  typealias Action = Errand
  typealias Mutation = Entry
  typealias State = [Entry]
  typealias Mutations = Effect<Self>

  let world: World
  let own: OwnStore
  let handlers: Handlers
  let meets: @Sendable (Errand) -> Plan

  func plan(for errand: Errand, state: State) -> Plan { meets(errand) }

  func decide(_ errand: Errand, state: State) -> Decision<Entry> {
    var decided = [entry(errand, .decided), entry(errand, .decidedToo)]
    decided[0].revision = state.count
    return switch errand.end {
    case .decide: .mutate(decided)
    case .reject: .reject(Failure())
    case .finish, .fail: .mutate(decided, thenHandle: true)
    }
  }

  func handle(_ errand: Errand, state: State) -> Effect<Self> {
    world.expect(state.count == own.revision, "L2: a handler gets the newest state when it begins")
    return Effect { run in
      handlers.begin(errand, run.attempt)
      defer { handlers.end(errand, run.attempt) }
      try await withTaskCancellationHandler {
        try await work(on: errand, run)
      } onCancel: {
        handlers.cancel(errand, run.attempt)
      }
    }
  }

  private func work(on errand: Errand, _ run: Run<Self>) async throws {
    let begin = world.clock.now
    for (number, part) in errand.parts.enumerated() {
      do {
        try await world.clock.sleep(for: part)
      } catch {
        if let deaf = errand.deafFor { await Task { try? await world.clock.sleep(for: deaf) }.value }
        await end(number, of: errand, run)
        throw error
      }
      if let time = errand.attemptTimeout {
        world.expect(
          begin.duration(to: world.clock.now) <= time || Task.isCancelled,
          "Time: an attempt is given up, and its task cancelled, when its time is over")
      }
      await end(number, of: errand, run)
    }
    if errand.end == .fail { throw Failure() }
  }

  /// Sends what is to be sent when a part is done, and emits that it is.
  private func end(_ number: Int, of errand: Errand, _ run: Run<Self>) async {
    if number == 0, run.attempt == 1 { errand.sends.forEach(own.send) }
    let isOver = Task.isCancelled || handlers.counts.newest[errand.number] != run.attempt
    let entry = entry(errand, .part(number, attempt: run.attempt))
    let isCommitted = run.emit(entry)
    world.expect(!isCommitted || !isOver, "R3: nothing is committed of what was cancelled or given up")
    if isCommitted {
      let state = try? await run.state
      world.expect(state?.contains(entry) == true, "L2: the state that a run reads holds what it emitted before")
    }
  }

  func closing(_ errand: Errand, outcome: Outcome) -> Entry? {
    entry(errand, .closed(outcome.kind))
  }

  private func entry(_ errand: Errand, _ act: Act) -> Entry {
    Entry(errand: errand.number, act: act, time: world.clock.now.offset)
  }

  static func reduce(into state: inout State, mutation: Entry) {
    state.append(mutation)
  }
}

/// A store as its own handlers use it: they do not hold it.
final class OwnStore: Sendable {
  private let find = Box<@Sendable () -> Store<Errands>?> { nil }
  private let sender = Box<@Sendable (Errand) -> Void> { _ in }

  /// Identifies a store, and sends errands to it.
  func become(_ store: Store<Errands>, sendingBy send: @escaping @Sendable (Store<Errands>, Errand) -> Void) {
    find.value = { [weak store] in store }
    sender.value = { [find] errand in find.value().map { send($0, errand) } }
  }

  /// The newest revision, as long as there is the store.
  var revision: Int? { find.value()?.snapshotAtOnce()?.revision }

  func send(_ errand: Errand) { sender.value(errand) }
}
