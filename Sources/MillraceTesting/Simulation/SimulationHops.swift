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
