/// One commit: a mutation, its cause, and the state that it led to.
public struct Transition<I: Interactor>: Sendable {
  /// The mutation that was applied to the state.
  public let mutation: I.Mutation

  /// The action that brought it about, and where that came from.
  public let cause: Cause<I.Action>

  /// The position in the order of commits; the first commit has revision 1.
  public let revision: Int

  /// The number of commits that the observer skipped since the last transition; 0 except after a gap.
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

extension Replay {
  /// Reads the commits that this replays, for one observer.
  ///
  /// - Parameter includesBefore: whether each has the state before as well.
  func transitions(includesBefore: Bool) -> NextElement<Transition<I>> {
    { () async throws(StoreError) -> Transition<I>? in
      var missed = 0
      while true {
        let before = includesBefore ? self.progress.state : nil
        guard let step = try await self.next(), let state = self.progress.state else { return nil }
        missed += step.missed
        guard !step.isFirst else { continue }
        guard let entry = step.entry, let cause = entry.cause else {
          missed += 1
          continue
        }
        return Transition(
          mutation: entry.mutation, cause: cause, revision: self.progress.revision, missed: missed,
          before: missed == 0 ? before : nil, state: state)
      }
    }
  }
}
