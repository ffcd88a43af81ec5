import Foundation
import Millrace
import MillraceHooks

/// The threads on which the worlds of a process run, each one world after the other; and for each of them a thread that watches its
/// steps.
///
/// A step that computes for ever, or blocks, cannot be ended from outside. Its world fails, its thread is given up, and no further
/// world runs in the process.
final class WorldThreads: Sendable {
  /// The threads of the process: one, or as many as the environment says.
  static let shared = WorldThreads((try? SimulationEnvironment.current.get())?.workers ?? 1)

  private struct Turn {
    let world: World
    /// The longest time of a step, in seconds.
    let limit: Double
    let work: @Sendable (StepWatch) -> WorldRun.Result
    let end: CheckedContinuation<WorldRun.Result, Never>
  }

  private struct State {
    var haveBegun = false
    var turns: WorldTurns<Turn>
    var isGivenUp = false
  }

  /// The number of worlds that run side by side.
  let count: Int
  private let state: Lock<State>
  private let watches: [StepWatch]
  private let arrival = ThreadSignal()

  init(_ count: Int) {
    self.count = count
    state = Lock(State(turns: WorldTurns(threads: count)))
    watches = (0..<count).map { _ in StepWatch() }
  }

  /// Runs `work` when a thread is free, after the worlds that came before have begun.
  ///
  /// - Parameters:
  ///   - limit: the longest time for which a step may compute or block, in seconds.
  ///   - isAlone: whether no other world may run meanwhile.
  func run(
    _ world: World, limit: Double, isAlone: Bool = false, _ work: @escaping @Sendable (StepWatch) -> WorldRun.Result
  ) async -> WorldRun.Result {
    await withCheckedContinuation { continuation in
      let turn = Turn(world: world, limit: limit, work: work, end: continuation)
      let (isGivenUp, isFirst) = state.withLock { state in
        if state.isGivenUp { return (true, false) }
        defer { state.haveBegun = true }
        state.turns.add(turn, isAlone: isAlone)
        return (false, !state.haveBegun)
      }
      if isGivenUp { return refuse(turn) }
      if isFirst { begin() }
      arrival.signal()
    }
  }

  private func begin() {
    for index in 0..<count {
      let name = count == 1 ? "" : " \(index + 1)"
      // As large as the stack of a main thread.
      for (name, stack, body) in [("world\(name)", 8 << 20, runTurns), ("watch\(name)", 1 << 20, watch)] {
        let thread = Thread { body(index) }
        thread.name = "Millrace \(name)"
        thread.stackSize = stack
        thread.start()
      }
    }
  }

  private func runTurns(on thread: Int) {
    millrace_make_signal_stack()
    while !state.withLock({ $0.isGivenUp }) {
      // The world is held no longer than its turn.
      if let end = runTurn(on: thread) { end() } else { arrival.wait() }
    }
  }

  /// Runs the next world, and returns the way to tell its caller; nil if none may run now.
  private func runTurn(on thread: Int) -> (() -> Void)? {
    let (turn, isMore) = state.withLock { ($0.turns.next(on: thread), $0.turns.hasWaiting) }
    guard let turn else { return nil }
    // This thread looks again when the turn has ended; another one may look now.
    if isMore { arrival.signal() }
    let result = turn.work(watches[thread])
    let hasFailed = state.withLock { $0.turns.end(on: thread) == nil }
    let end = turn.end
    return hasFailed ? {} : { end.resume(returning: result) }
  }

  private func refuse(_ turn: Turn) {
    turn.world.fail(WorldFailure(.givenUp))
    turn.end.resume(returning: WorldRun.Result(turn.world))
  }

  // MARK: Watching

  private func watch(_ thread: Int) {
    var limit = StepLimit()
    while true {
      let seconds = state.withLock { $0.turns.running(on: thread)?.limit }
      Thread.sleep(forTimeInterval: (seconds ?? 1) / Double(StepLimit.looks))
      guard let seconds else { continue }
      let step = watches[thread].step
      let verdict = limit.look(at: step, limit: Int64(seconds * 1_000_000_000), millrace_processor_time)
      if let step, let verdict, giveUp(thread, step, verdict) { return }
    }
  }

  /// Fails the world that runs on a thread, and those that wait for their turn; false if the step has ended just now.
  ///
  /// The worlds on other threads come to their end.
  private func giveUp(_ thread: Int, _ step: StepWatch.Step, _ verdict: StepLimit.Verdict) -> Bool {
    let turns = state.withLock { state -> (stuck: Turn, waiting: [Turn])? in
      guard watches[thread].step == step, let stuck = state.turns.end(on: thread) else { return nil }
      state.isGivenUp = true
      return (stuck, state.turns.takeWaiting())
    }
    guard let (stuck, waiting) = turns else { return false }
    stuck.world.fail(stuck.world.queue.failure(ofStep: step.task, verdict, after: stuck.limit))
    stuck.end.resume(returning: WorldRun.Result(stuck.world))
    MainActorWorlds.shared.leave(stuck.world.queue)
    for turn in waiting { refuse(turn) }
    return true
  }
}
