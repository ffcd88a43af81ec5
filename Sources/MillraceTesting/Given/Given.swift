public import Millrace

/// A state and an interactor, to test `decide` and `reduce` without a store.
///
/// ```swift
/// Given(Records.State(), Records(gateway: fake))
///   .when(.reload).then(.mutate(.loading, thenHandle: true)) { $0.isLoading = true }
///   .when(mutation: .loaded(["a"])).then { $0 = Records.State(records: ["a"]) }
/// ```
///
/// Each `then` asserts, and passes its state to the next step. No handler is run and no plan is asked. What rejects
/// an action is followed by the closing of that, as in a store.
public struct Given<I: Interactor>: Sendable where I.State: Equatable, I.Mutation: Equatable {
  /// The state that the next step begins with.
  public let state: I.State

  private let interactor: I

  /// Begins with a state.
  ///
  /// Fails the test for methods of the interactor that look like methods of the protocol and are not; see
  /// ``checkSpelling(of:file:line:)``.
  ///
  /// - Parameters:
  ///   - state: the state that the first step begins with.
  ///   - interactor: the interactor to test.
  ///   - file: where such a failure is shown.
  ///   - line: where such a failure is shown.
  public init(_ state: I.State, _ interactor: I, file: StaticString = #filePath, line: UInt = #line) {
    self.init(then: state, interactor)
    checkSpelling(of: I.self, file: file, line: line)
  }

  private init(then state: I.State, _ interactor: I) {
    self.state = state
    self.interactor = interactor
  }

  /// Requests the decision on an action in this state.
  public func when(_ action: I.Action) -> Action {
    let decision = interactor.decide(action, state: state)
    return Action(
      given: self, action: action, decision: decision, step: interactor.step(of: action, decidedAs: decision))
  }

  /// Applies a mutation to this state.
  public func when(mutation: I.Mutation) -> Mutation {
    Mutation(given: self, mutation: mutation)
  }

  /// Requests the closing mutation of an action that was taken up and ended like this, and applies it to this state.
  ///
  /// A closing of nil is expected as `then(nil)`.
  public func when(_ action: I.Action, endsAs outcome: Outcome) -> Closing {
    Closing(given: self, action: action, outcome: outcome, closing: interactor.closing(action, outcome: outcome))
  }

  /// Compares the result of some mutations with the expectation of the test, and continues with the actual state.
  func next(
    _ subject: String, _ mutations: [I.Mutation], at location: TestLine, change: ((inout I.State) -> Void)?
  ) -> Given {
    let next = next(mutations)
    var expected = state
    change?(&expected)
    let problem = TestStoreText<I>.change(
      subject, in: "then", from: state, expected: change == nil ? nil : expected, actual: next.state)
    if let problem { Given.fail(problem, at: location) }
    return next
  }

  /// Continues with the result of some mutations.
  func next(_ mutations: [I.Mutation]) -> Given {
    var state = state
    for mutation in mutations { I.reduce(into: &state, mutation: mutation) }
    return Given(then: state, interactor)
  }

  static func fail(_ message: String, at location: TestLine) {
    FailureReporter().fail(message, file: location.file, line: location.line)
  }
}

extension Given {
  /// The decision on an action; made by ``Given/when(_:)``.
  public struct Action: Sendable {
    let given: Given<I>
    let action: I.Action
    let decision: Decision<I.Mutation>
    /// The mutations of its step.
    let step: [I.Mutation]

    /// Asserts the decision, and the state after its mutations; after a rejection, the state after the closing mutation.
    ///
    /// The closing of an action that `decide` rejects is part of the same step, so it is a change here, as it is in
    /// ``TestStore/send(_:file:line:change:)``; which mutation that is, ``Given/when(_:endsAs:)`` asserts.
    ///
    /// Errors of `Decision.reject(_:)` are the same where `==` says so, and if they are not `Equatable` where all their
    /// parts are.
    ///
    /// - Parameters:
    ///   - expected: the expected decision.
    ///   - file: where a failure is shown.
    ///   - line: where a failure is shown.
    ///   - change: makes the expected state of the given one; nil when nothing changes.
    /// - Returns: The state after that step, to continue from.
    @discardableResult
    public func then(
      _ expected: Decision<I.Mutation>, file: StaticString = #filePath, line: UInt = #line,
      change: ((inout I.State) -> Void)? = nil
    ) -> Given<I> {
      let location = TestLine(file, line)
      let subject = TestStoreText<I>.name(action)
      let (wanted, actual) = (Terms(expected), Terms(decision))
      guard wanted.isSame(as: actual) else {
        Given<I>.fail(
          """
          \(subject) is decided otherwise than the test expects:
          \(ValueDifference(from: wanted, to: actual))
          Expected is left of an arrow, the interactor's right. Change the decision in then, or what decide returns.
          """, at: location)
        // Its change would be compared with that of another decision.
        return given.next(step)
      }
      return given.next(subject, step, at: location, change: change)
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
}

extension Given {
  /// The state after a mutation; made by ``Given/when(mutation:)``.
  public struct Mutation: Sendable {
    let given: Given<I>
    let mutation: I.Mutation

    /// Asserts the changes of the mutation.
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
      given.next(TestStoreText<I>.name(mutation), [mutation], at: TestLine(file, line), change: change)
    }
  }
}

extension Given {
  /// The closing of an action; made by ``Given/when(_:endsAs:)``.
  public struct Closing: Sendable {
    let given: Given<I>
    let action: I.Action
    let outcome: Outcome
    let closing: I.Mutation?

    /// Asserts the closing mutation, and the state after it.
    ///
    /// - Parameters:
    ///   - expected: the mutation that closes the action; nil for no mutation.
    ///   - file: where a failure is shown.
    ///   - line: where a failure is shown.
    ///   - change: makes the expected state of the given one; nil when nothing changes.
    /// - Returns: The state after the closing mutation, to continue from.
    @discardableResult
    public func then(
      _ expected: I.Mutation?, file: StaticString = #filePath, line: UInt = #line,
      change: ((inout I.State) -> Void)? = nil
    ) -> Given<I> {
      let location = TestLine(file, line)
      let subject = "The closing of \(TestStoreText<I>.name(action)) as \(outcome.kind)"
      let mutations = closing.map { [$0] } ?? []
      guard closing == expected else {
        Given<I>.fail(
          """
          \(subject) is another than the test expects:
          \(ValueDifference(from: expected, to: closing))
          Expected is left of an arrow, the interactor's right. Change the mutation in then, or what closing returns.
          """, at: location)
        return given.next(mutations)
      }
      return given.next(subject, mutations, at: location, change: change)
    }
  }
}

extension Interactor {
  /// The mutations of the one step of a decision: its own, or, if it rejects the action, the closing mutation.
  ///
  /// An action for a missing child is never taken up, and is not closed.
  func step(of action: Action, decidedAs decision: Decision<Mutation>) -> [Mutation] {
    guard let error = decision.rejection else { return decision.mutations }
    if error is Rejection.MissingChild { return [] }
    return closing(action, outcome: .rejected(.decided(error))).map { [$0] } ?? []
  }
}
