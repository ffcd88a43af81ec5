import Millrace
import MillraceRecording

/// Adds prices, asks a gateway for some, and forgets a customer's name.
struct Till: Interactor {
  struct State: Codable, Sendable, Equatable {
    var total = 0
    var articles: [String] = []
    var customer = ""
    var isLooking = false
  }

  enum Action: Codable, Sendable, Equatable {
    case add(String, price: Int)
    case look(String)
    case lookForAll([String])
    case welcome(String)
    case refuse
  }

  enum Mutation: Codable, Sendable, Equatable {
    case added(String, price: Int)
    case looking
    case failed(String)
    case welcomed(String)
  }

  struct Refused: Error {}

  /// The price of an article.
  var price: @Sendable (String) async throws -> Int = { $0.count }
  var tape = GatewayTape.off
  /// Sends an action to the store of this till, and waits for its end.
  var send: @Sendable (Action) async -> Void = { _ in }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .add(let article, let price): .mutate(.added(article, price: price))
    case .look: .mutate(.looking, thenHandle: true)
    case .lookForAll: .handle
    case .welcome(let name): .mutate(.welcomed(name))
    case .refuse: .reject(Refused())
    }
  }

  func handle(_ action: Action, state: State) -> Effect<Till> {
    switch action {
    case .look(let article):
      Effect { run in
        let found = try await tape.call("price", article) { try await price(article) }
        run.emit(.added(article, price: found))
      }
    case .lookForAll(let articles):
      Effect { _ in
        for article in articles { await send(.look(article)) }
      }
    case .add, .welcome, .refuse: .none
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    if case .look = action { .failed("\(outcome.kind)") } else { nil }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .added(let article, let price):
      state.total += price
      state.articles.append(article)
      state.isLooking = false
    case .looking: state.isLooking = true
    case .failed: state.isLooking = false
    case .welcomed(let name): state.customer = name
    }
  }
}

/// A till whose reducer was changed: it gives one piece in ten for nothing.
struct GenerousTill: Interactor {
  typealias Action = Till.Action
  typealias Mutation = Till.Mutation
  typealias State = Till.State

  func handle(_ action: Action, state: State) -> Effect<GenerousTill> { .none }

  static func reduce(into state: inout State, mutation: Mutation) {
    guard case .added = mutation, state.articles.count % 10 == 9 else {
      return Till.reduce(into: &state, mutation: mutation)
    }
    let total = state.total
    Till.reduce(into: &state, mutation: mutation)
    state.total = total
  }
}
