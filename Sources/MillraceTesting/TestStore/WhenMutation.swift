public import Millrace

/// The state after a mutation; made by ``Given/when(mutation:)``.
public struct WhenMutation<I: Interactor>: Sendable where I.State: Equatable, I.Mutation: Equatable {
  let given: Given<I>
  let mutation: I.Mutation

  /// Asserts what the mutation changes.
  ///
  /// - Parameters:
  ///   - file: where a failure is shown.
  ///   - line: where a failure is shown.
  ///   - change: makes the expected state of the given one; nil when nothing changes.
  /// - Returns: The state after the mutation, to continue from.
  @discardableResult
  public func then(
    file: StaticString = #filePath, line: UInt = #line, change: ((inout I.State) -> Void)? = nil
  ) -> Given<I> {
    given.next(TestStoreText<I>.name(mutation), [mutation], at: TestLine(file: file, line: line), change: change)
  }
}
