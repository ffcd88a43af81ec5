package import Millrace
package import MillraceInspector

/// Watches the open runs of a process, as a person at a terminal sees them.
package struct Top: Interactor {
  package enum Action: Sendable {
    /// Asks for the runs again and again, until the run is cancelled.
    case watch
    case press(Key)
  }

  package typealias State = TopState

  package enum Mutation: Sendable {
    case listed(RunsDocument)
    case failed(RunsFailure)
    case pressed(Key)
  }

  private let gateway: any RunsGateway
  /// The time between an answer and the next question.
  private let pause: Duration
  private let clock: any Clock<Duration>

  package init(_ gateway: any RunsGateway, every pause: Duration, clock: any Clock<Duration> = ContinuousClock()) {
    (self.gateway, self.pause, self.clock) = (gateway, pause, clock)
  }

  package func decide(_ action: Action, state: TopState) -> Decision<Mutation> {
    switch action {
    case .watch: .handle
    case .press(let key): .mutate(.pressed(key))
    }
  }

  package func handle(_ action: Action, state: TopState) -> Effect<Self> {
    Effect { run in
      while !Task.isCancelled {
        do {
          run.emit(.listed(try await gateway.runs()))
        } catch let failure as RunsFailure {
          run.emit(.failed(failure))
        }
        try await clock.sleep(for: pause)
      }
    }
  }

  package static func reduce(into state: inout TopState, mutation: Mutation) {
    switch mutation {
    case .listed(let document):
      state.document = document
      state.failure = nil
    case .failed(let failure): state.failure = failure
    case .pressed(let key): state.press(key)
    }
  }
}
