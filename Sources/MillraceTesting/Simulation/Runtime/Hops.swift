import Dispatch
import MillraceHooks

extension Simulation {
  /// The ways of a task to an actor, or from it, at which another task may go first.
  ///
  /// A task that calls an idle actor continues at once on its thread, so that without a decision there it would do all it has to do
  /// with the actor in one step. Hops inside Swift's own libraries are no decisions.
  public enum Hops: String, Sendable, CaseIterable {
    /// No hop is a decision; an actor with a queue still runs its calls in a turn of its own.
    case none

    /// A call of an idle actor is a decision.
    case actors

    /// Each hop is one: also a call of a function that is `@concurrent`, and the way back from an actor.
    case all
  }
}

extension MillraceHops {
  init(_ hops: Simulation.Hops) {
    self =
      switch hops {
      case .none: MillraceHopsNone
      case .actors: MillraceHopsActors
      case .all: MillraceHopsAll
      }
  }
}

/// The executor by which tasks of a world go to an actor: it makes a job of each hop, and the job is ready in the world.
final class HopExecutor: SerialExecutor {
  private static let installed: HopExecutor = {
    let executor = HopExecutor()
    // Its two words; the executor itself lives as long as the process.
    let words = unsafeBitCast(executor.asUnownedSerialExecutor(), to: (UnsafeRawPointer, UInt).self)
    millrace_set_hop_executor(words.0, words.1)
    return executor
  }()

  /// Routes the hops of this thread through the executor while `body` runs.
  static func take<Result>(_ hops: MillraceHops, _ body: () -> Result) -> Result {
    _ = installed
    let earlier = millrace_hops()
    millrace_set_hops(hops)
    defer { millrace_set_hops(earlier) }
    return body()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let address = unsafeBitCast(job, to: UnsafeRawPointer.self)
    if let runtime = WorldRuntime.ofThisThread, runtime.add(address, MillraceJobGlobal) {
      if runtime.nodes.areUsed, let actor = millrace_hop_actor() { runtime.noteCall(of: actor) }
      return
    }
    // A task that is not of the world continues outside.
    WorldRuntime.outsideOfWorlds {
      DispatchQueue.global().async { millrace_run_job(unsafeBitCast(job, to: UnsafeRawPointer.self)) }
    }
  }
}
