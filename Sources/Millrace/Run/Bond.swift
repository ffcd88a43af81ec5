/// What must hold of the state for one run to go on.
///
/// All of it is the lock holder's.
@usableFromInline
final class Bond<I: Interactor>: Linked {
  typealias Condition = @Sendable (I.State) -> Bool

  /// Unowned, for the run has it, and takes it out of the ledger when it ends.
  unowned let run: ActiveRun<I>

  /// The number of the attempt that has set the conditions; 0 for a run that has only one.
  private var attempt: Int
  private var conditions: [Condition] = []

  @usableFromInline var previous: Bond?
  @usableFromInline var following: Bond?

  init(_ run: ActiveRun<I>) {
    self.run = run
    attempt = 0
  }

  /// Adds a condition of an attempt; those of earlier attempts go.
  func add(_ condition: @escaping Condition, attempt: Int) {
    if attempt != self.attempt { conditions = [] }
    self.attempt = attempt
    conditions.append(condition)
  }

  /// Whether all conditions hold.
  func holds(in state: I.State) -> Bool {
    conditions.allSatisfy { $0(state) }
  }
}
