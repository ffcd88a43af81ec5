import Testing

@testable import MillraceOperators

/// An event of an operator's state.
enum StateEvent {
  case demand(Int)
  case receive(Int, from: Int, at: Int)
  case end(Int, Mishap?)
  case wake(Int)
  case cancel
}

/// Applies a table of events, with the time in seconds, and compares the actions.
func check<State: OperatorState<Int, Mishap>>(
  _ state: State, _ steps: [(event: StateEvent, actions: State.Actions)],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  var state = state
  for (index, step) in steps.enumerated() {
    let actions =
      switch step.event {
      case .demand(let now): state.demand(at: .seconds(now))
      case .receive(let element, let base, let now): state.receive(element, from: base, at: .seconds(now))
      case .end(let base, let failure): state.end(base, failure: failure)
      case .wake(let now): state.wake(at: .seconds(now))
      case .cancel: state.cancel()
      }
    #expect(actions == step.actions, "step \(index): \(step.event)", sourceLocation: sourceLocation)
  }
}

extension OperatorActions<Int, Mishap> {
  static func ask(_ bases: Int...) -> Self { Self(asked: bases) }

  static func element(_ element: Int, ask: [Int] = [], alarm: Int? = nil, closes: Bool = false) -> Self {
    Self(answer: .success(element), asked: ask, alarm: alarm.map { .seconds($0) }, closes: closes)
  }

  static func alarm(_ time: Int, ask: [Int] = []) -> Self { Self(asked: ask, alarm: .seconds(time)) }

  static var end: Self { Self(answer: .success(nil)) }
  static var endAndClose: Self { Self(answer: .success(nil), closes: true) }
  static var failure: Self { Self(answer: .failure(Mishap())) }
  static var failureAndClose: Self { Self(answer: .failure(Mishap()), closes: true) }
  static var close: Self { Self(closes: true) }
}
