#if SQLite
  import Millrace

  /// The interactor of a key: additions that are decided, others that wait durably first, and timers.
  struct KeyedAccount: Interactor {
    struct State: Codable, Sendable {
      var total = 0
      var timers = Timers<Int>()
    }

    enum Action: Codable, Sendable {
      case add(Int)
      /// Adds after a durable sleep, by a step.
      case addLater(Int)
      /// Sets a timer that adds the number at a wall time in milliseconds.
      case set(Int, at: Int64)
      case fire(Int)
    }

    enum Mutation: Codable, Sendable {
      case added(Int)
      case set(Int, at: Int64)
      case fired(Int)
    }

    func plan(for action: Action, state: State) -> Plan {
      if case .addLater = action { .concurrent.recovery(.handleAgain) } else { .concurrent }
    }

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .add(let number): .mutate(.added(number))
      case .addLater: .handle
      case .set(let number, let time): .mutate(.set(number, at: time))
      case .fire(let number): .mutate(.fired(number))
      }
    }

    func handle(_ action: Action, state: State) -> Effect<Self> {
      Effect { run in
        guard case .addLater(let number) = action else { return }
        try await run.sleep("wait", for: .milliseconds(10))
        try await run.step("add", commit: { [.added($0)] }) { _ in number }
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .added(let number): state.total += number
      case .set(let number, let time): state.timers.set(number, at: time)
      case .fired(let number): if state.timers.remove(number) != nil { state.total += number }
      }
    }
  }
#endif
