public import Millrace

/// The decision on an action; made by ``Given/when(_:)``.
public struct WhenAction<I: Interactor>: Sendable where I.State: Equatable, I.Mutation: Equatable {
  let given: Given<I>
  let action: I.Action
  let decision: Decision<I.Mutation>
  /// The mutations of its step.
  let step: [I.Mutation]

  /// Asserts the decision, and what its mutations make of the state; of a rejection, what its closing one does.
  ///
  /// The closing of an action that `decide` rejects is part of the same step, so it is a change here, as it is in
  /// ``TestStore/send(_:file:line:change:)``; which mutation that is, ``Given/when(_:endsAs:)`` asserts.
  ///
  /// Errors of `Decision.reject(_:)` are the same where `==` says so, and if they are not `Equatable` where all their
  /// parts are.
  ///
  /// - Parameters:
  ///   - expected: what is to be decided.
  ///   - file: where a failure is shown.
  ///   - line: where a failure is shown.
  ///   - change: makes the expected state of the given one; nil when nothing changes.
  /// - Returns: The state after that step, to continue from.
  @discardableResult
  public func then(
    _ expected: Decision<I.Mutation>, file: StaticString = #filePath, line: UInt = #line,
    change: ((inout I.State) -> Void)? = nil
  ) -> Given<I> {
    let place = TestLine(file: file, line: line)
    let subject = TestStoreText<I>.name(action)
    let (wanted, actual) = (Terms(expected), Terms(decision))
    guard wanted.isSame(as: actual) else {
      Given<I>.fail(
        """
        \(subject) is decided otherwise than the test expects:
        \(ValueDifference(from: wanted, to: actual))
        Expected is left of an arrow, the interactor's right. Change the decision in then, or what decide returns.
        """, at: place)
      // Its change would be compared with that of another decision.
      return given.next(step)
    }
    return given.next(subject, step, at: place, change: change)
  }

  /// A decision by its parts.
  private struct Terms {
    let mutations: [I.Mutation]
    let thenHandle: Bool
    let error: (any Error)?

    init(_ decision: Decision<I.Mutation>) {
      mutations = decision.mutations
      thenHandle = decision.handles
      error = decision.rejection
    }

    func isSame(as other: Terms) -> Bool {
      mutations == other.mutations && thenHandle == other.thenHandle
        && ValueDifference(from: error, to: other.error).isEmpty
    }
  }
}
