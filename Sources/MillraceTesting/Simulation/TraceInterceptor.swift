import Millrace

/// Keeps the events of one store in the trace of its world.
final class TraceInterceptor<I: Interactor>: Interceptor, EventSink {
  typealias Action = I.Action
  typealias Mutation = I.Mutation
  typealias State = I.State

  private weak let world: World?
  private let state: Lock<I.State>

  /// The largest number of characters of a value, and of lines of a difference.
  private static var limits: ValueDifference.Limits { ValueDifference.Limits(lines: 8, characters: 80) }

  init(_ world: World, from state: I.State) {
    self.world = world
    self.state = Lock(state)
  }

  func accepted(_ cause: Cause<I.Action>) {
    let sender = cause.context.parent.map { ", sent by \($0)" } ?? ""
    world?.trace { "\(Self.name(cause)) is accepted by \(CaseName.name(of: I.self))\(sender)" }
  }

  func committed(_ mutation: I.Mutation, revision: Int, cause: Cause<I.Action>, state: borrowing I.State) {
    let new = copy state
    let old = self.state.withLock { kept in
      defer { kept = new }
      return kept
    }
    world?.trace {
      let difference = ValueDifference(from: old, to: new, limits: Self.limits)
      let lines = difference.isEmpty ? ["  the state is the same"] : difference.lines.map { "  \($0)" }
      return (["\(Self.name(cause)) commits \(ValueText.of(mutation, limit: 80))"] + lines).joined(separator: "\n")
    }
  }

  func ended(_ cause: Cause<I.Action>, outcome: Outcome) {
    world?.trace { "\(Self.name(cause)) ends: \(outcome)" }
  }

  func refused(_ cause: Cause<I.Action>) {
    world?.trace { "\(Self.name(cause)) is not accepted by \(CaseName.name(of: I.self))" }
  }

  func rest(_ drawn: Duration, after attempt: Int, of cause: Cause<I.Action>) -> Duration {
    world?.trace { "\(Self.name(cause)) rests for \(drawn) after attempt \(attempt)" }
    return drawn
  }

  private static func name(_ cause: Cause<I.Action>) -> String {
    "\(cause.context.run) \(ValueText.of(cause.action, limit: 80))"
  }
}
