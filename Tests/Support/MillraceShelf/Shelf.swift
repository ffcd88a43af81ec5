import Millrace

/// A small service whose recordings the tests replay: it puts books on a shelf, and asks a handler for whole series.
struct Shelf: Interactor {
  struct State: Codable, Sendable, Equatable {
    var books: [String] = []
    var pages = 0
  }

  enum Action: Codable, Sendable, Equatable {
    case put(String, pages: Int)
    case putSeries([String])
    case clear
  }

  enum Mutation: Codable, Sendable, Equatable {
    case put(String, pages: Int)
    case cleared
  }

  /// Sends an action to the store of this shelf, and waits for its end.
  var send: @Sendable (Action) async -> Void = { _ in }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .put(let title, let pages): .mutate(.put(title, pages: pages))
    case .putSeries: .handle
    case .clear: state.books.isEmpty ? .ignore : .mutate(.cleared)
    }
  }

  func handle(_ action: Action, state: State) -> Effect<Shelf> {
    guard case .putSeries(let titles) = action else { return .none }
    return Effect { _ in
      for title in titles { await send(.put(title, pages: title.count)) }
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .put(let title, let pages):
      state.books.append(title)
      state.pages += pages
    case .cleared: state = State()
    }
  }
}
