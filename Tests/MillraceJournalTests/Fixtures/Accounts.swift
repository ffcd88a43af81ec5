import Millrace

/// An account whose withdrawals are decided, and whose orders are handled.
struct Accounts: Interactor {
  typealias Handling = @Sendable (Run<Accounts>, Int) async throws -> Void

  enum Action: Sendable, Codable {
    case deposit(Int)
    case deposits([Int])
    case withdraw(Int)
    case look
    case order(Int)
    case orderAgain(Int)
    /// An order that is handled again twice in a row.
    case orderTwiceAgain(Int)
    case shared(Int)
  }

  enum Mutation: Sendable, Codable, Equatable {
    case added(Int)
    case closed(String)
  }

  struct State: Sendable, Codable, Equatable {
    var balance = 0
    var closings: [String] = []
    /// A balance that the coder does not take.
    static let notEncoded = 666

    init() {}

    init(balance: Int) { self.balance = balance }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      balance = try values.decode(Int.self, forKey: .balance)
      closings = try values.decode([String].self, forKey: .closings)
    }

    func encode(to encoder: any Encoder) throws {
      if balance == State.notEncoded { throw Refusal(description: "the balance is \(balance)") }
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(balance, forKey: .balance)
      try values.encode(closings, forKey: .closings)
    }

    private enum CodingKeys: CodingKey { case balance, closings }
  }

  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  var handling: Handling = { _, _ in }

  func plan(for action: Action, state: State) -> Plan {
    switch action {
    case .orderAgain: .concurrent.recovery(.handleAgain)
    case .orderTwiceAgain: .concurrent.recovery(.handleAgain(limit: 2))
    case .shared: .shared(key: "shared")
    case .deposit, .deposits, .withdraw, .look, .order: .concurrent
    }
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .deposit(let amount): .mutate(.added(amount))
    case .deposits(let amounts): .mutate(amounts.map { .added($0) })
    case .withdraw(let amount):
      state.balance < amount ? .reject(Refusal(description: "only \(state.balance)")) : .mutate(.added(-amount))
    case .look: .ignore
    case .order, .orderAgain, .orderTwiceAgain, .shared: .handle
    }
  }

  func handle(_ action: Action, state: State) -> Effect<Self> {
    Effect { run in
      switch action {
      case .order(let amount), .orderAgain(let amount), .orderTwiceAgain(let amount), .shared(let amount):
        try await handling(run, amount)
      case .deposit, .deposits, .withdraw, .look: break
      }
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    switch action {
    case .order, .orderAgain, .orderTwiceAgain, .shared: .closed("\(outcome.kind)")
    case .deposit, .deposits, .withdraw, .look: nil
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .added(let amount): state.balance &+= amount
    case .closed(let outcome): state.closings.append(outcome)
    }
  }
}
