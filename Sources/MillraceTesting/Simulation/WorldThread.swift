import Foundation
import Millrace
import MillraceHooks

/// The thread on which all worlds of a process run, one after the other, and another one that watches their steps.
///
/// A step that computes for ever, or blocks, cannot be ended from outside. Its world fails, its thread is given up, and no further
/// world runs in the process.
final class WorldThread: Sendable {
  static let shared = WorldThread()

  private struct Turn {
    let world: World
    /// The longest time of a step, in seconds.
    let limit: Double
    let work: @Sendable () -> WorldRun.Result
    let end: CheckedContinuation<WorldRun.Result, Never>
  }

  private struct State {
    var hasThread = false
    var waiting: [Turn] = []
    var running: Turn?
    var isGivenUp = false
  }

  private let state = Lock(State())
  private let arrival = ThreadSignal()

  /// Runs `work` when the worlds before have ended.
  ///
  /// - Parameter limit: the longest time for which a step may compute or block, in seconds.
  func run(
    _ world: World, limit: Double, _ work: @escaping @Sendable () -> WorldRun.Result
  ) async -> WorldRun.Result {
    await withCheckedContinuation { continuation in
      let turn = Turn(world: world, limit: limit, work: work, end: continuation)
      let (isGivenUp, isFirst) = state.withLock { state in
        if state.isGivenUp { return (true, false) }
        defer { state.hasThread = true }
        state.waiting.append(turn)
        return (false, !state.hasThread)
      }
      if isGivenUp { return refuse(turn) }
      if isFirst { begin() }
      arrival.signal()
    }
  }

  private func begin() {
    // As large as the stack of a main thread.
    for (name, stack, body) in [("world", 8 << 20, runTurns), ("watch", 1 << 20, watch)] {
      let thread = Thread { body() }
      thread.name = "Millrace \(name)"
      thread.stackSize = stack
      thread.start()
    }
  }

  private func runTurns() {
    millrace_make_signal_stack()
    while !state.withLock({ $0.isGivenUp }) {
      arrival.wait()
      // The world is held no longer than its turn.
      runTurn()?()
    }
  }

  /// Runs the next world, and returns the way to tell its caller.
  private func runTurn() -> (() -> Void)? {
    let turn = state.withLock { state in
      state.running = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
      return state.running
    }
    guard let turn else { return nil }
    let result = turn.work()
    let isGivenUp = state.withLock { state in
      state.running = nil
      return state.isGivenUp
    }
    let end = turn.end
    return isGivenUp ? nil : { end.resume(returning: result) }
  }

  private func refuse(_ turn: Turn) {
    turn.world.fail(WorldFailure(.givenUp))
    turn.end.resume(returning: WorldRun.Result(turn.world))
  }

  // MARK: Watching

  private func watch() {
    var limit = StepLimit()
    while true {
      let seconds = state.withLock { $0.running?.limit }
      Thread.sleep(forTimeInterval: (seconds ?? 1) / Double(StepLimit.looks))
      guard let seconds else { continue }
      let step = StepWatch.shared.step
      let verdict = limit.look(at: step, limit: Int64(seconds * 1_000_000_000), millrace_processor_time)
      if let step, let verdict, giveUp(step, verdict) { return }
    }
  }

  /// Fails the world that runs and those that wait for their turn; false if the step has ended just now.
  private func giveUp(_ step: StepWatch.Step, _ verdict: StepLimit.Verdict) -> Bool {
    let turns = state.withLock { state -> (stuck: Turn, waiting: [Turn])? in
      guard let running = state.running, StepWatch.shared.step == step else { return nil }
      state.isGivenUp = true
      defer { state.waiting = [] }
      return (running, state.waiting)
    }
    guard let (stuck, waiting) = turns else { return false }
    stuck.world.fail(stuck.world.queue.failure(ofStep: step.task, verdict, after: stuck.limit))
    stuck.end.resume(returning: WorldRun.Result(stuck.world))
    for turn in waiting { refuse(turn) }
    return true
  }
}
