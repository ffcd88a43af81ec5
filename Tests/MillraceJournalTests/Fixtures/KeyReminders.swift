import Millrace
import MillraceJournal
import MillraceTesting

/// KeyReminders of one key: timers, and a query of an effect.
struct KeyReminders: Interactor {
  struct State: Sendable, Codable, Equatable {
    var timers = Timers<String>()
    var fired: [String] = []
    var query: Int?
  }

  enum Action: Sendable, Codable {
    case set(String, at: Int64)
    case remove(String)
    case fire(String)
    case ask(Int?)
    case answered(Int)
    case forget
    /// Handled: sleeps for an hour, and then sets a timer.
    case rest(String, at: Int64)
    /// Handled once: does not return.
    case hang
  }

  enum Mutation: Sendable, Codable {
    case set(String, at: Int64)
    case remove(String)
    case fired(String)
    case ask(Int?)
    case forget
  }

  struct Refused: Error {}

  /// The ids whose actions are rejected.
  var refused: Set<String> = []
  /// The gate at which a handler waits that does not return.
  var hanging = Gate()

  func plan(for action: Action, state: State) -> Plan {
    if case .hang = action { .concurrent } else { .concurrent.recovery(.handleAgain) }
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .set(let id, let time): .mutate(.set(id, at: time))
    case .remove(let id): .mutate(.remove(id))
    case .fire(let id) where refused.contains(id): .reject(Refused())
    case .fire(let id): .mutate([.fired(id), .remove(id)])
    case .ask(let query): .mutate(.ask(query))
    case .answered(let query): .mutate(.fired("answer \(query)"))
    case .forget: .mutate(.forget)
    case .rest, .hang: .handle
    }
  }

  func handle(_ action: Action, state: State) -> Effect<KeyReminders> {
    Effect { [hanging] run in
      guard case .rest(let id, let time) = action else { return try await hanging.enter() }
      try await run.sleep("rest", for: .seconds(3_600))
      run.emit(.set(id, at: time))
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .set(let id, let time): state.timers.set(id, at: time)
    case .remove(let id): state.timers.remove(id)
    case .fired(let id): state.fired.append(id)
    case .ask(let query): state.query = query
    case .forget: state = State()
    }
  }
}

extension Stores where I == KeyReminders, Key == String {
  /// Sends an action, and returns once it has finished durably.
  func commit(_ action: KeyReminders.Action, of key: String) async throws {
    _ = try await request(action, of: key) { $0.fired.count }
  }
}
