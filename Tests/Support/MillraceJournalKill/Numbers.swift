import Millrace

/// Numbers that are noted in the state of a key: at once, by a handler that a crash does not end, or by a timer.
struct Numbers: Interactor {
  enum Action: Sendable, Codable {
    /// Notes a number at once.
    case note(Int)
    /// Notes a number by the second step of a handler, which is handled again after a crash.
    case work(Int)
    /// Sets a timer that notes a number at a wall time in milliseconds.
    case set(Int, at: Int64)
    /// Notes a number whose timer is due.
    case fire(Int)
  }

  enum Mutation: Sendable, Codable {
    case began(Int)
    case noted(Int)
    case set(Int, at: Int64)
    case fired(Int)

    /// The number that is changed.
    var number: Int {
      switch self {
      case .began(let number), .noted(let number), .set(let number, _), .fired(let number): number
      }
    }
  }

  struct State: Sendable, Codable, Equatable {
    /// The noted numbers in the order of their commits.
    var noted: [Int] = []
    /// The numbers that were begun, and not noted so far.
    var begun: Set<Int> = []
    /// The numbers that are noted later.
    var timers = Timers<Int>()
  }

  func plan(for action: Action, state: State) -> Plan {
    if case .work = action { .concurrent.recovery(.handleAgain) } else { .concurrent }
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .note(let number): .mutate([.began(number), .noted(number)])
    case .work(let number): .mutate(.began(number), thenHandle: true)
    case .set(let number, let time): .mutate(.set(number, at: time))
    case .fire(let number): .mutate(.fired(number))
    }
  }

  func handle(_ action: Action, state: State) -> Effect<Self> {
    Effect { run in
      guard case .work(let number) = action else { return }
      let same = try await run.step("draw") { _ in number }
      try await run.sleep("pause", for: .milliseconds(1))
      try await run.step("note", commit: { [.noted($0)] }) { _ in same }
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .began(let number): state.begun.insert(number)
    case .noted(let number):
      state.begun.remove(number)
      state.noted.append(number)
    case .set(let number, let time): state.timers.set(number, at: time)
    case .fired(let number):
      // The action of a timer may come twice.
      if state.timers.remove(number) != nil { state.noted.append(number) }
    }
  }
}
