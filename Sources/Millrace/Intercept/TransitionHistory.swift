/// Keeps the last commits of a store, and tells why each of them came about.
///
/// ```swift
/// let history = TransitionHistory<Records>(keeping: 1_000)
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
public final class TransitionHistory<I: Interactor>: Interceptor {
  /// A commit that is kept.
  public struct Commit: Sendable {
    /// The mutation that was applied to the state.
    public let mutation: I.Mutation

    /// The action that brought it about, and where that came from.
    public let cause: Cause<I.Action>

    /// The position in the order of commits; the first commit has revision 1.
    public let revision: Int
  }

  private let ring: Lock<Ring<Commit>>

  /// Creates a history that has kept nothing yet, for one store.
  ///
  /// - Parameter count: the number of commits that are kept; at least 1.
  public init(keeping count: Int = 256) {
    ring = Lock(Ring(capacity: count))
  }

  /// The largest number of commits that are kept.
  package var capacity: Int { ring.withLock { $0.capacity } }

  /// The commits that are kept, the oldest first.
  public var kept: [Commit] { ring.withLock { $0.elements } }

  /// The commit of a revision; nil if it is not kept.
  package subscript(revision revision: Int) -> Commit? {
    kept.first { $0.revision == revision }
  }

  /// Keeps a commit.
  public func committed(_ mutation: I.Mutation, revision: Int, cause: Cause<I.Action>, state: borrowing I.State) {
    let commit = Commit(mutation: mutation, cause: cause, revision: revision)
    // What is no longer kept is released outside the lock, for that may run code of the caller's.
    _ = ring.withLock { $0.append(commit) }
  }

  /// Returns the reason for a commit: its action, whose handler sent that, and so on to where the chain began.
  ///
  /// ```
  /// revision 4: rated, by rate (#12@1)
  /// sent by the handler of load (#8@1), which committed loading (revision 2), loaded (revision 3)
  /// sent by the handler of start (#4@1), which committed started (revision 1)
  /// sent from outside of any run, in the trace 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
  /// ```
  ///
  /// Of a run of which no commit is kept, or of another store, it tells the id, and continues with the run that the chain began
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

/// The last elements of many, in order.
struct Ring<Element> {
  /// The largest number of elements that are kept.
  let capacity: Int

  private var slots: [Element] = []

  /// The index of the oldest element once all slots are taken.
  private var oldest = 0

  /// An empty ring for at least one element; room is made as it is needed.
  init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  /// The elements, the oldest first.
  var elements: [Element] { Array(slots[oldest...] + slots[..<oldest]) }

  /// Adds an element; returns the oldest one if there was no room.
  mutating func append(_ element: Element) -> Element? {
    guard slots.count == capacity else {
      slots.append(element)
      return nil
    }
    let gone = slots[oldest]
    slots[oldest] = element
    oldest = (oldest + 1) % capacity
    return gone
  }
}

/// The telling of why a commit came about, from the commits that are kept.
private struct Causality<I: Interactor> {
  typealias Commit = TransitionHistory<I>.Commit

  private let kept: [Commit]
  private let capacity: Int
  private let name: ValueName

  init(_ kept: [Commit], capacity: Int, name: ValueName) {
    self.kept = kept
    self.capacity = capacity
    self.name = name
  }

  /// The chain of a commit, the commit first, a line for each link.
  func why(_ revision: Int) -> String {
    guard let commit = kept.first(where: { $0.revision == revision }) else { return absence(of: revision) }
    let byRun = Dictionary(grouping: kept) { $0.cause.context.run }
    var lines = ["revision \(revision): \(name.of(commit.mutation)), by \(name.of(commit.cause))"]
    var context = commit.cause.context
    while let parent = context.parent {
      if let commits = byRun[parent], let first = commits.first {
        lines.append("\(sending(context)) \(link(first, commits))")
        context = first.cause.context
      } else {
        lines.append("\(sending(context)) \(unknown(parent, seenFrom: context.run))")
        if parent != context.root { lines.append("the chain began with \(beginning(context, byRun))") }
        context = byRun[context.root]?.first?.cause.context ?? context
        break
      }
    }
    return (lines + [origin(context)]).joined(separator: "\n")
  }

  // MARK: Links

  /// The text of an action that a handler sent, with the trace where it begins.
  private func sending(_ context: RunContext) -> String {
    guard let trace = context.trace, !context.inheritsTrace else { return "sent by the handler of" }
    return "sent in the trace \(trace.traceparent) by the handler of"
  }

  private func link(_ first: Commit, _ commits: [Commit]) -> String {
    let what = commits.map { "\(name.of($0.mutation)) (revision \($0.revision))" }.joined(separator: ", ")
    return "\(name.of(first.cause)), which committed \(what)"
  }

  private func unknown(_ run: RunID, seenFrom other: RunID) -> String {
    "\(run), " + (run.store == other.store ? "of which no commit is kept" : "a run of another store")
  }

  private func beginning(_ context: RunContext, _ byRun: [RunID: [Commit]]) -> String {
    guard let commits = byRun[context.root], let first = commits.first else {
      return unknown(context.root, seenFrom: context.run)
    }
    return link(first, commits)
  }

  private func origin(_ context: RunContext) -> String {
    "sent from outside of any run, " + (context.trace.map { "in the trace \($0.traceparent)" } ?? "without a trace")
  }

  // MARK: What is not kept

  private func absence(of revision: Int) -> String {
    if revision <= 0 { return "revision \(revision) is no commit: the first commit has revision 1" }
    guard let oldest = kept.first?.revision, let newest = kept.last?.revision else {
      return "revision \(revision) is not kept: nothing was committed since the store has this history"
    }
    if revision > newest {
      return "revision \(revision) is not kept: it was not committed yet; the newest that is kept is \(newest)"
    }
    if revision < oldest, kept.count == capacity {
      return """
        revision \(revision) is not kept any more: of the newest commits \(capacity) are kept, \(oldest) to \(newest); to keep \
        more, give TransitionHistory(keeping:) a larger number
        """
    }
    return "revision \(revision) is not kept: it was committed while the store did not have this history"
  }
}
