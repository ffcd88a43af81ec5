/// Keeps the last commits of a store, and tells why each of them came about.
///
/// ```swift
/// let history = TransitionHistory<Records.Action, Records.Mutation, Records.State>(keeping: 1_000)
/// let store = Store(initial: Records.State(), interactor: Records(), interceptors: [history])
/// print(history.why(41))
/// ```
///
/// It keeps mutations, revisions and causes, with the actions in them, and no states.
///
/// **Order and isolation.** Commits are kept in their order, with the store's lock. All else may be called from any thread, also
/// from inside a commit, and sees each commit whose state an observer can have seen.
///
/// **Lifetime.** What is kept stays until as many newer commits have come, or the history is released. It holds no store.
public final class TransitionHistory<Action: Sendable, Mutation: Sendable, State: Sendable>: Interceptor {
  /// A commit that is kept.
  public struct Commit: Sendable {
    /// What was applied to the state.
    public let mutation: Mutation

    /// The action that brought it about, and where that came from.
    public let cause: Cause<Action>

    /// The place in the order of commits; the first commit has revision 1.
    public let revision: Int
  }

  private let ring: Lock<Ring<Commit>>

  /// Makes a history that has kept nothing yet, for one store.
  ///
  /// - Parameter count: how many commits are kept; at least 1.
  public init(keeping count: Int = 256) {
    ring = Lock(Ring(capacity: count))
  }

  /// How many commits are kept at most.
  public var capacity: Int { ring.withLock { $0.capacity } }

  /// The commits that are kept, the oldest first.
  public var kept: [Commit] { ring.withLock { $0.elements } }

  /// The commit of a revision; nil if it is not kept.
  public subscript(revision revision: Int) -> Commit? {
    kept.first { $0.revision == revision }
  }

  /// Keeps a commit.
  public func committed(_ mutation: Mutation, revision: Int, cause: Cause<Action>, state: borrowing State) {
    let commit = Commit(mutation: mutation, cause: cause, revision: revision)
    // What is no longer kept is released outside the lock, for that may run code of the caller's.
    _ = ring.withLock { $0.append(commit) }
  }

  /// Tells why a commit came about: its action, whose handler sent that, and so on to where the chain began.
  ///
  /// ```
  /// revision 4: rated, by rate (#12@1)
  /// sent by the handler of load (#8@1), which committed loading (revision 2), loaded (revision 3)
  /// sent by the handler of start (#4@1), which committed started (revision 1)
  /// sent from outside of any run, in the trace 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
  /// ```
  ///
  /// Of a run of which no commit is kept, or of another store, it tells the id, and goes on with the run that the chain began
  /// with. Of a revision that is not kept it says so, and how more are kept. It looks through all that is kept.
  ///
  /// - Parameters:
  ///   - revision: which commit.
  ///   - payloads: whether actions and mutations are shown with their payloads, shortened to 200 characters each; otherwise
  ///     enums are shown by the names of their cases, and all else by the names of types.
  public func why(_ revision: Int, payloads: Bool = false) -> String {
    let (kept, capacity) = ring.withLock { ($0.elements, $0.capacity) }
    return Causality(kept, capacity: capacity, name: ValueName(payloads: payloads)).why(revision)
  }
}
