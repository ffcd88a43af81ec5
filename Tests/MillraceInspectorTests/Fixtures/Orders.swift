import Millrace
import MillraceTesting

/// Orders whose handlers wait at a gate.
struct Orders: Interactor {
  enum Action: Sendable, Codable {
    case place(Int)
    /// Adds the number without a handler.
    case note(Int)
  }

  let gate: Gate

  func plan(for action: Action, state: [Int]) -> Plan { .concurrent.named("order") }

  func decide(_ action: Action, state: [Int]) -> Decision<Int> {
    if case .note(let number) = action { .mutate(number) } else { .handle }
  }

  func handle(_ action: Action, state: [Int]) -> Effect<Self> {
    Effect { [gate] run in
      try await gate.enter()
      if case .place(let number) = action { run.emit(number) }
    }
  }

  static func reduce(into state: inout [Int], mutation: Int) { state.append(mutation) }
}
