/// One commit: a mutation, what brought it about, and the state it led to.
public struct Transition<I: Interactor>: Sendable {
  /// What was applied to the state.
  public let mutation: I.Mutation

  /// The action that brought it about, and where that came from.
  public let cause: Cause<I.Action>

  /// The place in the order of commits; the first commit has revision 1.
  public let revision: Int

  /// How many commits the observer skipped since the one before; 0 but after a gap.
  public let missed: Int

  /// The state before, if it was asked for; nil after a gap.
  public let before: I.State?

  /// The state after.
  public let state: I.State
}

extension Transition: CustomStringConvertible {
  /// The revision, the mutation and its action, without payloads and states: `revision 4: rated, by rate (#12@1)`.
  public var description: String {
    let name = ValueName(payloads: false)
    let gap = missed == 0 ? "" : ", after \(missed) missed"
    return "revision \(revision): \(name.of(mutation)), by \(name.of(cause))\(gap)"
  }
}
