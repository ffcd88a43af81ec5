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
    while true {
      arrival.wait()
      let turn = state.withLock { state in
        state.running = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        return state.running
      }
      guard let turn else { continue }
      let result = turn.work()
      let isGivenUp = state.withLock { state in
        state.running = nil
        return state.isGivenUp
      }
      if isGivenUp { return }
      turn.end.resume(returning: result)
    }
  }

  private func refuse(_ turn: Turn) {
    turn.world.fail(WorldFailure(.givenUp))
    turn.end.resume(returning: WorldRun.Result(turn.world))
  }

  // MARK: Watching

  private func watch() {
    var limit = StepLimit()
    while true {
      let turn = state.withLock { $0.running }
      Thread.sleep(forTimeInterval: (turn?.limit ?? 1) / Double(StepLimit.looks))
      guard let turn else { continue }
      let step = StepWatch.shared.step
      let nanoseconds = Int64(turn.limit * 1_000_000_000)
      let verdict = limit.look(at: step, limit: nanoseconds, millrace_processor_time)
      if let step, let verdict, giveUp(turn, step, verdict) { return }
    }
  }

  /// Fails the world that runs and those that wait for their turn; false if it has ended just now.
  private func giveUp(_ stuck: Turn, _ step: StepWatch.Step, _ verdict: StepLimit.Verdict) -> Bool {
    let waiting = state.withLock { state -> [Turn]? in
      guard let running = state.running, running.world === stuck.world else { return nil }
      state.isGivenUp = true
      defer { state.waiting = [] }
      return state.waiting
    }
    guard let waiting else { return false }
    stuck.world.fail(stuck.world.queue.failure(ofStep: step.task, verdict, after: stuck.limit))
    stuck.end.resume(returning: WorldRun.Result(stuck.world))
    for turn in waiting { refuse(turn) }
    return true
  }
}
