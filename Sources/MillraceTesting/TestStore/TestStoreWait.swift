import Millrace

/// The words for waiting in a test store.
enum TestStoreWait {
  /// What a waiter waits for.
  enum Wish: Sendable, Equatable {
    /// A commit behind this revision.
    case commit(after: Int)
    /// That the action has its outcome.
    case end(of: ActionID)
    /// That no action is open.
    case quiet
  }

  /// What a waiter is told.
  enum Answer: Sendable, Equatable {
    case fulfilled
    /// No action is open, so nothing will be committed.
    case quiet
    /// It has waited long enough.
    case late
  }
}
