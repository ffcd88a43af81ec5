/// The feedbacks of the store of a key, which hibernates: of each the state says when the store has to be open.
package struct KeyFeedbacks<State: Sendable, Action: Sendable>: Sendable {
  let firstActions: [Action]
  let works: [FeedbackWork<State, Action>]

  /// Creates the work of feedbacks for one store.
  ///
  /// - Parameter feedbacks: Feedbacks whose work a state asks for.
  package init(_ feedbacks: [Feedback<State, Action>]) {
    firstActions = feedbacks.flatMap(\.firstActions)
    works = feedbacks.compactMap { $0.makeWork?() }
  }

  package var isEmpty: Bool { firstActions.isEmpty && works.isEmpty }

  /// Whether a state may ask for work.
  package var hasWork: Bool { !works.isEmpty }

  /// The wall time in milliseconds at which a state needs the store to be open, 0 if it does now, and nil if it does not.
  package func wake(_ state: State) -> Int64? { works.compactMap { $0.wake?(state) }.min() }
}

extension Store {
  /// Notes with each commit the time at which the state needs the store, from now on; before any action is handled again or passed.
  package nonisolated func setWake(of feedbacks: KeyFeedbacks<I.State, I.Action>) {
    if feedbacks.hasWork { core.setWake { feedbacks.wake($0) } }
  }

  /// Sends the first actions of feedbacks, and begins their work; behind the actions that are handled again.
  package nonisolated func begin(_ feedbacks: KeyFeedbacks<I.State, I.Action>) {
    if feedbacks.isEmpty { return }
    begin(feedbacks.firstActions, feedbacks.works) { [weak core] in core?.effectDidReturn() }
  }
}
