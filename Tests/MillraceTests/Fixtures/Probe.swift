import Millrace
import MillraceTesting
import Testing

/// An action that a test follows on its way: the log says when it was decided, and its handler stays until it may return.
///
/// The log of an action named "a" is "a begins" at its take-up, "a done" from its handler, "a: cancelled" and the like for
/// its closing.
final class Probe: Sendable {
  let name: String

  /// The gate at which handlers wait, cancelled or not; its arrivals are the number of handlers that were started.
  let gate = Gate()

  init(_ name: String) {
    self.name = name
  }

  /// The number of handlers that were started.
  var starts: Int { gate.arrivals }

  /// The action; its handler throws `error` in the end, if there is one.
  func action(_ plan: Plan, throwing error: (any Error)? = nil) -> ScriptedInteractor.Action {
    ScriptedInteractor.Action(
      decide: { _ in .mutate(ScriptedInteractor.Mutation("\(self.name) begins"), thenHandle: true) },
      handle: { run, _ in
        await self.gate.enterIgnoringCancellation()
        run.emit(ScriptedInteractor.Mutation("\(self.name) done"))
        if let error { throw error }
      }
    ).closed(as: name).planned(plan)
  }

  /// Waits until the handler stands at the gate.
  func waitForStart() async throws {
    try await gate.waitForArrivals()
  }

  /// Ends the handler, now or when it is started.
  func open() {
    gate.open()
  }
}

extension Store where I == ScriptedInteractor {
  /// Waits until every handler of a key that was started has returned; nothing of the key may wait.
  nonisolated func sweep(_ key: some Hashable & Sendable) async {
    _ = await send(ScriptedInteractor.Action.decide { _ in .ignore }.planned(.serial(key: key))).outcome
  }

  /// Advances the store's clock by this time, and waits until the store has done everything that was due by then.
  nonisolated func pass(_ time: Duration, on clock: TestClock) async {
    // What is due comes in the order of its moments, and in that of its sending at one moment.
    let last = send(ScriptedInteractor.Action.decide { _ in .ignore }.planned(.latest(key: LastOne()).debounce(time)))
    await settle()
    clock.advance(by: time)
    #expect(await last.outcome.kind == .finished)
  }
}

/// A key of its own for the action that comes last.
private struct LastOne: Hashable, Sendable {}

extension Receipt {
  /// The kind of the action's rejection, once it has ended; nil if it ended otherwise.
  var rejectionKind: Rejection.Kind? {
    get async { await outcome.rejectionKind }
  }
}
