import Millrace

/// The words for waiting in a test store.
enum TestStoreWait {
  /// The event that a task waits for.
  enum Wish: Sendable, Equatable {
    /// A commit behind this revision.
    case commit(after: Int)
    /// The outcome of the action.
    case end(of: ActionID)
    /// The end of all actions.
    case quiet
  }

  /// The end of a wait.
  enum Answer: Sendable, Equatable {
    case fulfilled
    /// No action is open, so nothing will be committed.
    case quiet
    /// The wait is over its deadline.
    case late
  }
}
