public import Millrace

/// A state and an interactor, to test `decide` and `reduce` without a store.
///
/// ```swift
/// Given(Records.State(), Records(gateway: fake))
///   .when(.reload).then(.mutate(.loading, thenHandle: true)) { $0.isLoading = true }
///   .when(mutation: .loaded(["a"])).then { $0 = Records.State(records: ["a"]) }
/// ```
///
/// Each `then` asserts, and gives the next step the state that came of it. No handler is run and no plan is asked. What rejects
/// an action is followed by the closing of that, as in a store.
public struct Given<I: Interactor>: Sendable where I.State: Equatable, I.Mutation: Equatable {
  /// The state that the next step begins with.
  public let state: I.State

  private let interactor: I

  /// Begins with a state.
  ///
  /// Fails the test for methods of the interactor that look like those of the protocol and are not; see
  /// ``checkSpelling(of:file:line:)``.
  ///
  /// - Parameters:
  ///   - state: the state that the first step begins with.
  ///   - interactor: what is tested.
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

  /// Asks what is decided about an action in this state.
  public func when(_ action: I.Action) -> WhenAction<I> {
    let decision = interactor.decide(action, state: state)
    return WhenAction(
      given: self, action: action, decision: decision, step: interactor.step(of: action, decidedAs: decision))
  }

  /// Applies a mutation to this state.
  public func when(mutation: I.Mutation) -> WhenMutation<I> {
    WhenMutation(given: self, mutation: mutation)
  }

  /// Asks what closes an action that was taken up and ended like this, and applies that to this state.
  ///
  /// A closing of nil is expected as `then(nil)`.
  public func when(_ action: I.Action, endsAs outcome: Outcome) -> WhenClosing<I> {
    WhenClosing(given: self, action: action, outcome: outcome, closing: interactor.closing(action, outcome: outcome))
  }

  /// Compares the result of some mutations with the expectation of the test, and continues with the actual state.
  func next(
    _ subject: String, _ mutations: [I.Mutation], at place: TestLine, change: ((inout I.State) -> Void)?
  ) -> Given {
    let next = next(mutations)
    var expected = state
    change?(&expected)
    let problem = TestStoreText<I>.change(
      subject, in: "then", from: state, expected: change == nil ? nil : expected, actual: next.state)
    if let problem { Given.fail(problem, at: place) }
    return next
  }

  /// Continues with the result of some mutations.
  func next(_ mutations: [I.Mutation]) -> Given {
    var state = state
    for mutation in mutations { I.reduce(into: &state, mutation: mutation) }
    return Given(then: state, interactor)
  }

  static func fail(_ message: String, at place: TestLine) {
    FailureReporter().fail(message, file: place.file, line: place.line)
  }
}
