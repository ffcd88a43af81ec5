import Millrace
import Report

/// Sends requests to a service and reports each answer; its handler is an `Effect`.
struct Load: Interactor {
  struct State: Sendable {
    var answered = 0
    var isDone = false
  }

  enum Action: Sendable {
    case start(requests: Int)
  }

  enum Mutation: Sendable {
    case answered
    case done
  }

  let report: Store<Answers>
  let request: @Sendable (Int) async throws -> Int

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    switch action {
    case .start(let requests):
      Effect { run in
        for number in 0..<requests {
          report.send(.answered(status: try await request(number)))
          run.emit(.answered)
        }
        run.emit(.done)
      }
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .answered: state.answered += 1
    case .done: state.isDone = true
    }
  }
}
