import Dispatch
import Foundation
import Millrace
import MillraceHooks
import Synchronization

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
    stuck.world.fail(stuck.world.runtime.failure(ofStep: step.task, verdict, after: stuck.limit))
    stuck.end.resume(returning: WorldRun.Result(stuck.world))
    MainActorWorlds.shared.leave(stuck.world.runtime)
    for turn in waiting { refuse(turn) }
    return true
  }
}

/// The order in which worlds come to their threads.
///
/// A world begins after those that came before it, and beside those that run, unless one of them runs alone.
struct WorldTurns<Turn> {
  private typealias Entry = (turn: Turn, isAlone: Bool)

  private var waiting: [Entry] = []
  /// By thread.
  private var running: [Entry?]

  init(threads: Int) {
    running = Array(repeating: nil, count: threads)
  }

  /// - Parameter isAlone: whether no other world may run meanwhile.
  mutating func add(_ turn: Turn, isAlone: Bool) { waiting.append((turn, isAlone)) }

  /// Takes the first turn that waits; nil if none waits, or the first may not begin now.
  mutating func next(on thread: Int) -> Turn? {
    guard let first = waiting.first else { return nil }
    for case let other? in running where other.isAlone || first.isAlone { return nil }
    running[thread] = waiting.removeFirst()
    return first.turn
  }

  /// Whether a turn waits.
  var hasWaiting: Bool { !waiting.isEmpty }

  /// The turn that runs on a thread.
  func running(on thread: Int) -> Turn? { running[thread]?.turn }

  /// Ends the turn on a thread; nil if it has ended already.
  mutating func end(on thread: Int) -> Turn? { running[thread].take()?.turn }

  /// Takes out all turns that wait.
  mutating func takeWaiting() -> [Turn] {
    defer { waiting = [] }
    return waiting.map(\.turn)
  }
}

/// A signal that a thread waits for.
final class ThreadSignal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func signal() {
    semaphore.signal()
  }

  /// Blocks the calling thread until the signal comes.
  func wait() {
    semaphore.wait()
  }

  /// Blocks the calling thread; false if the signal did not come in time.
  func wait(seconds: Double) -> Bool {
    semaphore.wait(timeout: .now() + seconds) == .success
  }
}

/// Publishes to another thread whether user code of a world runs, and on which thread.
///
/// It belongs to a thread that runs one world after the other, so no two steps have the same number. The thread that runs user code alone writes. A reader takes a number that is odd for a step that has begun; as long as the number stays the
/// same, the task and the thread are those of that step.
final class StepWatch: Sendable {
  private let number = Atomic(0)
  private let task = Atomic(0)
  private let thread = Atomic<UInt>(0)

  /// Runs user code of a task: 0 for the turn of an actor, and -1 for a rule.
  func whileRunning<Result>(_ task: Int, _ body: () -> Result) -> Result {
    let last = number.load(ordering: .relaxed)
    self.task.store(task, ordering: .relaxed)
    thread.store(millrace_this_thread(), ordering: .relaxed)
    number.store(last + 1, ordering: .releasing)
    defer { number.store(last + 2, ordering: .releasing) }
    return body()
  }

  /// A step that has not ended.
  struct Step: Equatable {
    let number: Int
    let task: Int
    let thread: UInt
  }

  /// The step that runs; nil if none does.
  var step: Step? {
    let number = number.load(ordering: .acquiring)
    guard !number.isMultiple(of: 2) else { return nil }
    return Step(number: number, task: task.load(ordering: .relaxed), thread: thread.load(ordering: .relaxed))
  }
}

/// Finds a step that does not end, by looking at it at regular intervals.
///
/// A debugger that stops the process stops the looks as well, so that a breakpoint does not count.
struct StepLimit {
  enum Verdict {
    /// The step has used so much processor time.
    case computes
    /// The step has used none for so long.
    case blocks
  }

  /// The number of looks for the whole time.
  static let looks = 10

  private var step: StepWatch.Step?
  private var start: Int64 = 0
  private var last: Int64 = 0
  private var idleLooks = 0

  /// The verdict on the step that runs now; nil if it may continue.
  ///
  /// - Parameters:
  ///   - limit: the processor time, or the time without any, in nanoseconds.
  ///   - used: the processor time of a thread.
  mutating func look(at step: StepWatch.Step?, limit: Int64, _ used: (UInt) -> Int64) -> Verdict? {
    guard let step else {
      self.step = nil
      return nil
    }
    let now = used(step.thread)
    guard step == self.step else {
      (self.step, start, last, idleLooks) = (step, now, now, 0)
      return nil
    }
    if now - start >= limit { return .computes }
    // A thread that is woken now and then only to wait again computes nothing.
    idleLooks = now - last < limit / 1_000 ? idleLooks + 1 : 0
    last = now
    return idleLooks >= Self.looks ? .blocks : nil
  }
}
