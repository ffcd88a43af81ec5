import Millrace

/// Counts the answers of a service by their status; it decides everything at once.
package struct Answers: Interactor {
  package struct State: Sendable, Equatable {
    package var counts: [Int: Int] = [:]

    package init() {}
  }

  package enum Action: Sendable {
    case answered(status: Int)
  }

  package enum Mutation: Sendable {
    case counted(status: Int)
  }

  /// An answer whose status no HTTP server gives.
  package struct UnknownStatus: Error {
    package let status: Int
  }

  package init() {}

  package func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .answered(let status):
      (100..<600).contains(status)
        ? .mutate(.counted(status: status)) : .reject(UnknownStatus(status: status))
    }
  }

  package static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .counted(let status): state.counts[status, default: 0] += 1
    }
  }
}
