public import Millrace

/// The closing of an action; made by ``Given/when(_:endsAs:)``.
public struct WhenClosing<I: Interactor>: Sendable where I.State: Equatable, I.Mutation: Equatable {
  let given: Given<I>
  let action: I.Action
  let outcome: Outcome
  let closing: I.Mutation?

  /// Asserts the closing mutation, and what it makes of the state.
  ///
  /// - Parameters:
  ///   - expected: what closes the action; nil for nothing.
  ///   - file: where a failure is shown.
  ///   - line: where a failure is shown.
  ///   - change: makes the expected state of the given one; nil when nothing changes.
  /// - Returns: The state after the closing mutation, to continue from.
  @discardableResult
  public func then(
    _ expected: I.Mutation?, file: StaticString = #filePath, line: UInt = #line,
    change: ((inout I.State) -> Void)? = nil
  ) -> Given<I> {
    let place = TestLine(file: file, line: line)
    let subject = "The closing of \(TestStoreText<I>.name(action)) as \(outcome.kind)"
    let mutations = closing.map { [$0] } ?? []
    guard closing == expected else {
      Given<I>.fail(
        """
        \(subject) is another than the test expects:
        \(ValueDifference(from: expected, to: closing))
        Expected is left of an arrow, the interactor's right. Change the mutation in then, or what closing returns.
        """, at: place)
      return given.next(mutations)
    }
    return given.next(subject, mutations, at: place, change: change)
  }
}
